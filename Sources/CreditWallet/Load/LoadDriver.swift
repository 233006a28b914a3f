import NIOCore
import NIOPosix

/// Sends the load and counts the results, on a single event loop.
///
/// In an open loop, each booking has a scheduled time. If all connections are waiting for responses, the booking is
/// sent late, but its latency still counts from the scheduled time. So a service that stalls for one second has all
/// late bookings of that second in its percentiles, not just one.
final class LoadDriver {
    let plan: LoadPlan
    let eventLoop: any EventLoop
    let result: EventLoopPromise<LoadStatistics>
    var tally = LoadStatistics()
    var open: [LoadConnection] = []
    /// The connections that wait for no response.
    var idle: [LoadConnection] = []
    /// The number of pending responses.
    var awaited = 0
    /// The scheduled time of the first request.
    var start = NIODeadline.distantFuture
    var lastAnswer = NIODeadline.uptimeNanoseconds(0)
    var isOver = false

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
        let before = ProcessorTime.used()
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
        tally.processorTime = ProcessorTime.used() - before
        return tally
    }

    // MARK: Sending

    func startSending() {
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

    /// Sends the due requests on the idle connections, and schedules the next call.
    func advance() {
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

    private func send(_ step: LoadStep, on connection: LoadConnection) {
        self.awaited += 1
        self.tally.noteSent(step)
        connection.send(step, self.requests)
    }

    private func wake(at instant: NIODeadline) {
        guard self.alarm == nil else { return }
        let driver = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.alarm = self.eventLoop.scheduleTask(deadline: instant) {
            driver.value.alarm = nil
            driver.value.advance()
        }
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

    // MARK: Ending

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
    func fail(_ error: any Error) {
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
