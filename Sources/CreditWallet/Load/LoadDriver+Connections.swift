import NIOCore
import NIOPosix

extension LoadDriver {
    /// Opens the connections and then starts the load.
    func begin() -> EventLoopFuture<LoadStatistics> {
        let connections = (0..<self.plan.connections).map { _ in self.connect() }
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        EventLoopFuture.andAllSucceed(connections, on: self.eventLoop).whenComplete { result in
            driver.value.connected(result)
        }
        return self.result.futureResult
    }

    /// Opens a connection; the future succeeds once requests can be sent.
    private func connect() -> EventLoopFuture<Void> {
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        let security = self.plan.target.security
        let opening = self.eventLoop.makePromise(of: Void.self)
        let timeout = self.eventLoop.scheduleTask(in: Self.patience) {
            opening.fail(ChannelError.connectTimeout(Self.patience))
        }
        opening.futureResult.whenComplete { _ in timeout.cancel() }
        ClientBootstrap(group: self.eventLoop)
            .connectTimeout(Self.patience)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let security { try pipeline.addHandler(security.handler()) }
                    let isSecure = security != nil
                    let connection = LoadConnection(driver: driver.value, isSecure: isSecure, opening: opening)
                    try pipeline.addHandler(connection)
                }
            }
            .connect(to: self.plan.target.address)
            .whenComplete { result in
                switch result {
                case .success(let channel): opening.futureResult.whenFailure { _ in channel.close(promise: nil) }
                case .failure(let error): opening.fail(error)
                }
            }
        return opening.futureResult
    }

    /// The maximum time to open a connection.
    private static var patience: TimeAmount { .seconds(5) }

    private func connected(_ result: Result<Void, any Error>) {
        guard !self.isOver else { return }
        if case .failure(let error) = result { return self.fail(self.explained(error)) }
        self.startSending()
    }

    private func explained(_ error: any Error) -> CommandError {
        let authority = self.plan.target.authority
        if let trouble = LoadSecurity.trouble(error) {
            return CommandError(.unavailable, "Cannot connect to \(authority). \(trouble)")
        }
        return CommandError(.unavailable, "Cannot open \(self.plan.connections) connections to \(authority).")
    }

    func opened(_ connection: LoadConnection) {
        self.open.append(connection)
        self.idle.append(connection)
        self.advance()
    }

    func closed(_ connection: LoadConnection, awaiting step: LoadStep?, because reason: String) {
        self.open.removeAll { $0 === connection }
        self.idle.removeAll { $0 === connection }
        if let step {
            self.awaited -= 1
            self.lastAnswer = .now()
            self.tally.noteLoss(of: step, reason, at: self.lastAnswer)
        }
        guard !self.isOver else { return }
        self.reconnect()
        self.advance()
    }

    private func reconnect() {
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.scheduleTask(in: .milliseconds(100)) {
            guard !driver.value.isOver else { return }
            driver.value.connect().whenFailure { _ in driver.value.reconnect() }
        }
    }
}
