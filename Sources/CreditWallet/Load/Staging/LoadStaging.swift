import Foundation
import NIOHTTP1

/// Creates classes and users with credits through the service's HTTP API, and removes them after the load.
struct LoadStaging: Sendable {
    /// The maximum number of concurrent requests.
    private static let width = 16
    /// The default of OPERATOR_MAXIMUM_AMOUNT; a service with a lower limit returns it in its refusal.
    private static let usualMaximum = 1_000

    let calls: StagingCalls
    let operatorToken: String
    /// The issuer that signs the users' tokens.
    let issuer: IssuerOfUsers
    let counts: LoadPreparation
    /// The prefix of every name.
    let prefix: String

    private let begun = BegunCounts()

    /// Creates a staging; nothing is created at the service yet.
    ///
    /// - Parameters:
    ///   - calls: The client for the service's API.
    ///   - operatorToken: An operator's token.
    ///   - issuer: The issuer that signs the users' tokens.
    ///   - counts: The numbers of classes and users.
    ///   - prefix: The prefix of every name.
    init(
        calls: StagingCalls,
        operatorToken: String,
        issuer: IssuerOfUsers,
        counts: LoadPreparation,
        prefix: String
    ) {
        self.calls = calls
        self.operatorToken = operatorToken
        self.issuer = issuer
        self.counts = counts
        self.prefix = prefix
    }

    /// The total number of objects to create.
    private var total: Int { self.counts.classes + self.counts.users }
    /// The highest numbers of classes and users whose creation has begun; no object beyond them exists.
    var made: (classes: Int, users: Int) { self.begun.counts }

    /// Checks that the service accepts the tokens, before anything is created.
    ///
    /// - Throws: ``CommandError`` with the token that the service refuses.
    func check() async throws {
        let token = try await self.issuer.token(for: self.subject(1))
        let user = try await self.calls.send(.GET, "/balance", token: token, attempts: 1)
        guard user.isSuccess else {
            let hint = ". Use the same AUTH_ISSUERS and issuer keys as the service"
            throw CommandError(
                .configuration,
                "The service rejected a token of \(self.issuer.name): \(user.name)\(user.status == 401 ? hint : "")."
            )
        }
        let path = "/operator/timeline?user_id=\(self.prefix)nobody"
        let operators = try await self.calls.send(.GET, path, token: self.operatorToken)
        guard operators.isSuccess || operators.status == 404 else {
            throw CommandError(
                .configuration,
                "The service rejected the operator's token: \(operators.name). Print a new one with "
                    + "credit-wallet token --role operator; it is valid for at most one hour."
            )
        }
    }

    /// Creates the classes and users.
    ///
    /// - Parameter meter: The meter that shows the progress.
    /// - Returns: The tokens and class ids.
    /// - Throws: ``CommandError`` if the service refuses a request or does not respond.
    func make(_ meter: ProgressMeter) async throws -> LoadFixtures {
        try await Self.inParallel(self.counts.classes) { number in
            self.begun.note(class: number)
            try await self.makeClass(number)
            meter.advance(of: self.total)
        }
        // The first user determines the maximum amount of one adjustment.
        self.begun.note(user: 1)
        let part = try await self.giveCredits(1, inPartsOf: Self.usualMaximum)
        meter.advance(of: self.total)
        try await Self.inParallel(self.counts.users - 1) { number in
            self.begun.note(user: number + 1)
            _ = try await self.giveCredits(number + 1, inPartsOf: part)
            meter.advance(of: self.total)
        }
        var tokens: [String] = []
        for number in 1...self.counts.users { tokens.append(try await self.issuer.token(for: self.subject(number))) }
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

    func classID(_ number: Int) -> String { "\(self.prefix)class-\(number)" }

    /// Returns a user's subject at the issuer.
    func subject(_ number: Int) -> String { "\(self.prefix)user-\(number)" }

    /// Runs the operation for 1…count with limited concurrency.
    ///
    /// - Returns: The results, in no particular order.
    @discardableResult
    static func inParallel<Result: Sendable>(
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
