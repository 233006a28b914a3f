import CommandOutput
import Foundation
import NIOCore
import NIOPosix

/// Sends the load and counts the results, on a single event loop.
///
/// In an open loop, each booking has a scheduled time. If all connections are waiting for responses, the booking is
/// sent late, but its latency still counts from the scheduled time. So a service that stalls for one second has all
/// late bookings of that second in its percentiles, not just one.
final class LoadDriver {
    private let plan: LoadPlan
    private let eventLoop: any EventLoop
    private let result: EventLoopPromise<LoadStatistics>
    private var tally = LoadStatistics()
    private var open: [LoadConnection] = []
    /// The connections that wait for no response.
    private var idle: [LoadConnection] = []
    /// The number of pending responses.
    private var awaited = 0
    /// The scheduled time of the first request.
    private var start = NIODeadline.distantFuture
    private var lastAnswer = NIODeadline.uptimeNanoseconds(0)
    private var isOver = false

    private let requests: LoadRequests
    private var picker: LoadPicker
    private var random: LoadRandom
    /// The generator that selects reads.
    ///
    /// It is separate, so that reads do not change the selection of bookings to cancel.
    private var readRandom: LoadRandom
    /// The number of the next request.
    private var number = 0
    private var alarm: Scheduled<Void>?
    private var watch: RepeatedTask?
    private var ticker: RepeatedTask?
    private var progress: LoadProgress

    /// Runs a load.
    ///
    /// - Parameters:
    ///   - plan: The plan of the load.
    ///   - material: The users' tokens and the class ids.
    ///   - progress: A closure that receives a line with the progress every second.
    /// - Returns: The results.
    /// - Throws: ``CommandError`` if the service cannot be reached; `CancellationError` if the task is cancelled.
    static func run(
        _ plan: LoadPlan,
        _ material: LoadFixtures,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> LoadStatistics {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let before = Self.processorTime()
        let end = eventLoop.makePromise(of: Void.self)
        defer { end.succeed() }
        var tally = try await withTaskCancellationHandler {
            try await eventLoop.flatSubmit {
                let driver = LoadDriver(plan, material, on: eventLoop, print: progress)
                let bound = NIOLoopBound(driver, eventLoop: eventLoop)
                end.futureResult.whenFailure { bound.value.fail($0) }
                return driver.begin()
            }.get()
        } onCancel: {
            end.fail(CancellationError())
        }
        tally.processorTime = Self.processorTime() - before
        return tally
    }

    /// Returns the seconds of user and system time since the process started; POSIX counts them in microseconds.
    private static func processorTime() -> Double {
        Double(clock()) / 1_000_000
    }

    private init(
        _ plan: LoadPlan,
        _ material: LoadFixtures,
        on eventLoop: any EventLoop,
        print: @escaping @Sendable (String) -> Void
    ) {
        self.plan = plan
        self.progress = LoadProgress(plan, print: print)
        self.requests = LoadRequests(plan, material)
        self.eventLoop = eventLoop
        self.result = eventLoop.makePromise()
        self.picker = LoadPicker(
            plan.pattern,
            users: material.tokens.count,
            classes: material.classes.count,
            zipfExponent: plan.zipfExponent,
            seed: plan.seed
        )
        self.random = LoadRandom(seed: ~plan.seed)
        self.readRandom = LoadRandom(seed: plan.seed.byteSwapped)
    }

    /// Opens the connections and then starts the load.
    private func begin() -> EventLoopFuture<LoadStatistics> {
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
    private static let patience = TimeAmount.seconds(5)

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

    private func startSending() {
        self.start = .now()
        self.lastAnswer = self.start
        self.tally.fullLoad = self.start + .seconds(Int64(self.plan.ramp))
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.watch = self.eventLoop.scheduleRepeatedTask(
            initialDelay: .milliseconds(50),
            delay: .milliseconds(50)
        ) { _ in
            driver.value.look()
        }
        self.ticker = self.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            driver.value.progress.second(driver.value.tally)
        }
        self.advance()
    }

    func opened(_ connection: LoadConnection) {
        self.open.append(connection)
        self.idle.append(connection)
        self.advance()
    }

    /// Sends the due requests on the idle connections, and schedules the next call.
    private func advance() {
        guard self.start != .distantFuture else { return }
        while !self.isOver {
            let now = NIODeadline.now()
            guard let intended = self.plan.instant(of: self.number, from: self.start, now: now) else {
                return self.finishIfQuiet()
            }
            guard !self.idle.isEmpty else { return }
            let joining = self.plan.joining(after: self.awaited, from: self.start) ?? now
            guard max(intended, joining) <= now else { return self.wake(at: max(intended, joining)) }
            guard let step = self.step(intended: intended, now: now) else {
                self.tally.ranOut = true
                return self.finishIfQuiet()
            }
            self.number += 1
            self.send(step, on: self.idle.removeLast())
        }
    }

    /// Returns the next request; nil if it is a booking and every user has booked every class.
    private func step(intended: NIODeadline, now: NIODeadline) -> LoadStep? {
        var kind = LoadStep.Kind.booking
        if self.nextIsRead() { kind = .read(.picked(by: self.readRandom.fraction())) }
        let pick = if case .booking = kind { self.picker.next() } else { self.picker.reader() }
        return pick.map { LoadStep(kind: kind, number: self.tally.sent, pick: $0, intended: intended, sent: now) }
    }

    private func nextIsRead() -> Bool {
        self.plan.reads > 0 && self.readRandom.fraction() < self.plan.reads
    }

    private func wake(at instant: NIODeadline) {
        guard self.alarm == nil else { return }
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.alarm = self.eventLoop.scheduleTask(deadline: instant) {
            driver.value.alarm = nil
            driver.value.advance()
        }
    }

    private func send(_ step: LoadStep, on connection: LoadConnection) {
        self.awaited += 1
        self.tally.noteSent(step)
        connection.send(step, self.requests)
    }

    func answered(_ step: LoadStep, _ answer: LoadAnswer, on connection: LoadConnection) {
        self.awaited -= 1
        let now = NIODeadline.now()
        self.lastAnswer = now
        self.tally.note(answer, to: step, at: now)
        guard !answer.closes else { return }
        if case .booking = step.kind, let id = answer.bookingID, self.plan.cancelled > 0,
            self.random.fraction() < self.plan.cancelled
        {
            let kind = LoadStep.Kind.cancellation(of: id)
            let next = LoadStep(kind: kind, number: step.number, pick: step.pick, intended: now, sent: now)
            return self.send(next, on: connection)
        }
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

    /// Closes connections whose response is overdue, and records requests that can no longer be sent.
    private func look() {
        let now = NIODeadline.now()
        let timeout = TimeAmount.seconds(Int64(self.plan.timeout))
        for connection in self.open {
            if let step = connection.step, now - step.sent > timeout { connection.close(because: "timeout") }
        }
        if now > self.start + .seconds(Int64(self.plan.ramp + self.plan.duration)) + timeout {
            while let intended = self.plan.instant(of: self.number, from: self.start, now: now), !self.tally.ranOut {
                self.tally.noteUnsent(isRead: self.nextIsRead(), intended: intended, at: now)
                self.number += 1
            }
        }
        self.advance()
    }

    private func finishIfQuiet() {
        guard self.awaited == 0, !self.isOver else { return }
        self.end()
        let elapsed = Double((self.lastAnswer - self.start).nanoseconds) / 1_000_000_000
        let planned = Double(self.plan.ramp + self.plan.duration)
        self.tally.elapsed = self.tally.ranOut ? elapsed : max(elapsed, planned)
        self.result.succeed(self.tally)
    }

    /// Ends the load with an error; does nothing if it has already ended.
    private func fail(_ error: any Error) {
        guard !self.isOver else { return }
        self.end()
        self.result.fail(error)
    }

    private func end() {
        self.isOver = true
        self.watch?.cancel()
        self.ticker?.cancel()
        self.alarm?.cancel()
        for connection in self.open { connection.close(because: "") }
    }
}

/// Prints the progress of a load every second.
private struct LoadProgress {
    private let plan: LoadPlan
    private let print: @Sendable (String) -> Void
    private var seconds = 0
    private var booked = 0
    private var read = 0

    /// Creates a progress that starts with the first request.
    ///
    /// - Parameters:
    ///   - plan: The plan of the load.
    ///   - print: A closure that prints a line.
    init(_ plan: LoadPlan, print: @escaping @Sendable (String) -> Void) {
        self.plan = plan
        self.print = print
    }

    /// Prints the results of the last second, and the latency since the load reached its full size.
    mutating func second(_ tally: LoadStatistics) {
        self.seconds += 1
        let booked = tally.booked - self.booked
        let read = tally.reads.answered - self.read
        self.booked = tally.booked
        self.read = tally.reads.answered
        let reads = self.plan.reads > 0 ? ", \(read) read" : ""
        let decided = tally.booked + tally.refused + tally.reads.answered + tally.reads.refused
        let all = tally.answers.values.reduce(0, +) + tally.reads.answers.values.reduce(0, +)
        let latency =
            self.seconds <= self.plan.ramp
            ? "the load is still growing" : "p99 \(LoadLatencies(tally.latency).p99) ms"
        self.print(
            "\(self.seconds) of \(self.plan.ramp + self.plan.duration) s: \(booked) booked\(reads) in the last second, "
                + "\(tally.refused + tally.reads.refused) refused, \(all - decided) failed, \(latency)"
        )
    }
}
