import NIOCore
import NIOPosix

extension LoadDriver {
    /// Opens the connections, then begins.
    func begin() -> EventLoopFuture<LoadStatistics> {
        let connections = (0..<self.plan.connections).map { _ in self.connect() }
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        EventLoopFuture.andAllSucceed(connections, on: self.eventLoop).whenComplete { result in
            driver.value.connected(result)
        }
        return self.result.futureResult
    }

    private func connect() -> EventLoopFuture<Void> {
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        return ClientBootstrap(group: self.eventLoop)
            .connectTimeout(.seconds(5))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LoadConnection(driver: driver.value))
                }
            }
            .connect(to: self.plan.target.address)
            .map { _ in }
    }

    private func connected(_ result: Result<Void, any Error>) {
        if case .failure = result {
            self.isOver = true
            for connection in self.open { connection.close(because: "") }
            let message = "\(self.plan.target.authority) does not take \(self.plan.connections) connections."
            return self.result.fail(CommandError(.unavailable, message))
        }
        self.startSending()
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
