import CommandOutput
import Foundation
import NIOHTTP1
import Synchronization
import UnixSignals

/// Creates classes and users with credits through the service's HTTP API, and removes them after the load.
struct LoadStaging: Sendable {
    /// The maximum number of concurrent requests.
    private static let width = 16
    /// The default of OPERATOR_MAXIMUM_AMOUNT; a service with a lower limit returns it in its refusal.
    private static let usualMaximum = 1_000
    /// The number of seconds after which a user is deleted even with many bookings.
    private static let longestWait = 600

    let calls: StagingCalls
    let operatorToken: String
    /// The issuer that signs the users' tokens.
    let issuer: IssuerOfUsers
    let counts: LoadPreparation
    /// The prefix of every name.
    let prefix: String
    /// A Boolean value that indicates whether the classes and users are kept after the load.
    let keeps: Bool
    /// A closure that prints a line of progress.
    let print: @Sendable (String) -> Void

    private let begun = BegunCounts()

    /// Creates the classes and users, runs a load with them, and removes them whatever the load's result.
    ///
    /// - Parameter load: A closure that runs the load; SIGINT and SIGTERM cancel it.
    /// - Returns: The result of `load`.
    /// - Throws: The error of the setup or the load; otherwise ``CommandError`` if something could not be removed.
    func run<Value: Sendable>(
        _ load: @escaping @Sendable (LoadFixtures) async throws -> Value
    ) async throws -> Value {
        try await self.check()
        return try await Interruption.cancelling { try await self.stage(load) }
    }

    /// Checks that the service accepts the tokens, before anything is created.
    ///
    /// - Throws: ``CommandError`` with the token that the service refuses.
    private func check() async throws {
        let token = try await self.issuer.token(self.subject(1))
        let user = try await self.calls.send(.GET, "/balance", token: token, attempts: 1)
        guard user.isSuccess else {
            let hint = ". Use the same AUTH_ISSUERS and issuer keys as the service"
            throw CommandError(
                .configuration,
                "The service rejected a token of \(self.issuer.name): \(user.name)\(user.status == 401 ? hint : "")."
            )
        }
        let path = "/operator/users/\(self.prefix)nobody"
        let operators = try await self.calls.send(.GET, path, token: self.operatorToken)
        guard operators.isSuccess || operators.status == 404 else {
            throw CommandError(
                .configuration,
                "The service rejected the operator's token: \(operators.name). Print a new one with "
                    + "credit-wallet token --role operator; it is valid for at most one hour."
            )
        }
    }

    private func stage<Value: Sendable>(
        _ load: @escaping @Sendable (LoadFixtures) async throws -> Value
    ) async throws -> Value {
        let value: Value
        do {
            value = try await load(self.make())
        } catch {
            // The load's own error must be the one that is reported at the end.
            do { try await self.remove() } catch { self.print("\(error)") }
            throw error
        }
        try await self.remove()
        return value
    }

    /// Creates the classes and users.
    ///
    /// - Returns: The tokens and class ids.
    /// - Throws: ``CommandError`` if the service refuses a request or does not respond.
    private func make() async throws -> LoadFixtures {
        self.print("creating \(self.counts.users) users and \(self.counts.classes) classes, \(self.prefix)…")
        let meter = ProgressMeter("credit-wallet load, creating", of: "users and classes")
        defer { meter.end() }
        let total = self.counts.classes + self.counts.users
        try await Self.inParallel(self.counts.classes) { number in
            self.begun.note(class: number)
            try await self.makeClass(number)
            meter.advance(of: total)
        }
        // The first user determines the maximum amount of one adjustment.
        self.begun.note(user: 1)
        let part = try await self.giveCredits(1, inPartsOf: Self.usualMaximum)
        meter.advance(of: total)
        try await Self.inParallel(self.counts.users - 1) { number in
            self.begun.note(user: number + 1)
            _ = try await self.giveCredits(number + 1, inPartsOf: part)
            meter.advance(of: total)
        }
        var tokens: [String] = []
        for number in 1...self.counts.users { tokens.append(try await self.issuer.token(self.subject(number))) }
        return LoadFixtures(tokens: tokens, classes: (1...self.counts.classes).map(self.classID))
    }

    private func makeClass(_ number: Int) async throws {
        let id = self.classID(number)
        let month: TimeInterval = 30 * 86_400
        let definition = StagedClass(startsAt: Date(timeIntervalSinceNow: month))
        let answer = try await self.calls.send(
            .PUT,
            "/operator/classes/\(id)",
            token: self.operatorToken,
            key: id,
            body: definition
        )
        guard answer.isSuccess else { throw Self.refusal(of: "class \(id)", answer) }
    }

    /// Adds one credit for each class to a user, with as few adjustments as the service allows.
    ///
    /// - Returns: The maximum amount of one adjustment that the service accepts, or the requested amount.
    private func giveCredits(_ number: Int, inPartsOf part: Int) async throws -> Int {
        let subject = self.subject(number)
        for first in stride(from: 0, to: self.counts.classes, by: part) {
            let credits = StagedCredits(
                userID: self.issuer.prefix + subject,
                amount: min(part, self.counts.classes - first),
                reference: "\(subject)-\(first)"
            )
            let answer = try await self.calls.send(
                .POST,
                "/operator/adjustments",
                token: self.operatorToken,
                key: credits.reference,
                body: credits
            )
            if let maximum = answer.maximum, maximum > 0, maximum < part {
                return try await self.giveCredits(number, inPartsOf: maximum)
            }
            guard answer.isSuccess else { throw Self.refusal(of: "credits for \(subject)", answer) }
        }
        return part
    }

    private static func refusal(of thing: String, _ answer: StagingCalls.Answer) -> CommandError {
        CommandError(.failed, "The service did not create \(thing): \(answer.name).")
    }

    private func classID(_ number: Int) -> String { "\(self.prefix)class-\(number)" }

    /// Returns a user's subject at the issuer.
    private func subject(_ number: Int) -> String { "\(self.prefix)user-\(number)" }

    /// Removes the created users and classes, even if the load was cancelled.
    private func remove() async throws {
        guard !self.keeps else { return self.print("keeps the created users and classes, \(self.prefix)…") }
        let left = try await Task { try await self.removeAll() }.value
        guard left.isEmpty else {
            throw CommandError(.failed, "Could not remove \(left.joined(separator: ", ")) of \(self.prefix)…")
        }
    }

    /// Cancels the classes and deletes the users, which also removes the bookings and the remaining credits.
    ///
    /// - Returns: The objects that could not be removed, such as `3 users (503 wallet-busy)`.
    /// - Throws: `CancellationError` if the task is cancelled.
    private func removeAll() async throws -> [String] {
        let meter = ProgressMeter("credit-wallet load, removing", of: "users and classes")
        defer { meter.end() }
        // No class or user beyond these exists.
        let made = self.begun.counts
        let total = made.classes + made.users
        // Cancel the classes first: this returns every booking in full.
        let classes = try await self.removeEach("classes", made.classes, meter, total) { number in
            let id = self.classID(number)
            return try await self.calls.send(
                .POST,
                "/operator/classes/\(id)/cancel",
                token: self.operatorToken,
                key: "\(id)-cancel",
                body: CancellationReason()
            )
        }
        let users = try await self.removeEach("users", made.users, meter, total) { number in
            let token = try await self.issuer.token(self.subject(number))
            try await self.awaitFewBookings(of: token)
            return try await self.calls.send(.DELETE, "/account", token: token)
        }
        return classes + users
    }

    /// Waits until the service has returned most of a user's bookings of cancelled classes.
    ///
    /// A deletion cancels the remaining bookings in one transaction. With thousands of bookings, it would exceed the
    /// statement timeout, and meanwhile it would block the service from returning them.
    private func awaitFewBookings(of token: String) async throws {
        for _ in 0..<Self.longestWait {
            let path = "/bookings?status=upcoming&limit=100"
            guard try await self.calls.send(.GET, path, token: token).hasMore else { return }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Removes objects and continues after failures, which it counts by their response.
    private func removeEach(
        _ things: String,
        _ count: Int,
        _ meter: ProgressMeter,
        _ total: Int,
        _ removal: @escaping @Sendable (Int) async throws -> StagingCalls.Answer
    ) async throws -> [String] {
        let refusals = try await Self.inParallel(count) { number -> String? in
            defer { meter.advance(of: total) }
            do {
                let answer = try await removal(number)
                return answer.isSuccess || answer.status == 404 ? nil : answer.name
            } catch {
                try Task.checkCancellation()
                return "no response"
            }
        }
        let counts = refusals.compactMap(\.self).reduce(into: [:]) { counts, name in counts[name, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) \(things) (\($0.key))" }
    }

    /// Runs the operation for 1…count with limited concurrency.
    ///
    /// - Returns: The results, in no particular order.
    @discardableResult
    private static func inParallel<Result: Sendable>(
        _ count: Int,
        _ work: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            var results: [Result] = []
            for number in 0..<count {
                if number >= Self.width, let result = try await group.next() {
                    results.append(result)
                }
                group.addTask { try await work(number + 1) }
            }
            for try await result in group { results.append(result) }
            return results
        }
    }
}

/// The progress of the creation, for the removal after an interruption.
private final class BegunCounts: Sendable {
    private let state = Mutex((classes: 0, users: 0))

    var counts: (classes: Int, users: Int) { self.state.withLock { $0 } }

    func note(class number: Int) {
        self.state.withLock { $0.classes = max($0.classes, number) }
    }

    func note(user number: Int) {
        self.state.withLock { $0.users = max($0.users, number) }
    }
}

/// The body of `PUT /operator/classes/{id}` for a class of the load.
private struct StagedClass: Encodable, Sendable {
    struct Price: Encodable, Sendable {
        let credits: Int
    }

    let title = "Load test"
    let startsAt: Date
    let endsAt: Date
    let capacity = 100_000
    let price = Price(credits: 1)

    init(startsAt: Date) {
        self.startsAt = startsAt
        self.endsAt = startsAt.addingTimeInterval(3_600)
    }
}

/// The body of `POST /operator/adjustments` for the credits of a user of the load.
private struct StagedCredits: Encodable, Sendable {
    let userID: String
    let unit = "credit"
    let amount: Int
    let reason = "load test"
    let reference: String
    let newUser = true

    private enum CodingKeys: String, CodingKey {
        case userID = "userId"
        case unit, amount, reason, reference, newUser
    }
}

/// The body of `POST /operator/classes/{id}/cancel` for a class of the load.
private struct CancellationReason: Encodable, Sendable {
    let reason = "load test is over"
}

/// Handles signals while a command has something to clean up.
private enum Interruption {
    /// Runs an operation that SIGINT or SIGTERM cancels; a second signal ends the process immediately.
    ///
    /// - Parameter work: The operation, which cleans up before it returns.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation; ``CommandError`` if it was cancelled.
    static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let task = Task { try await work() }
        let watch = Task {
            for await _ in signals {
                // The exit code is 128 plus the number of SIGINT, as in shells.
                if task.isCancelled { _exit(130) }
                task.cancel()
            }
        }
        defer { watch.cancel() }
        do {
            return try await task.value
        } catch is CancellationError {
            throw CommandError(.failed, "Interrupted by a signal.")
        }
    }
}
