import HTTPTypes
import Hummingbird
import Stores
import Wallet

/// Turns proofs of purchase into credits, and gives back what a deleted account left behind.
///
/// - `POST /receipts` (user)
/// - `POST /restore` (user)
struct ReceiptRoutes {
    let wallet: Wallet
    let desk: ProofDesk
    let acknowledger: Acknowledger?

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("receipts", use: self.submit)
        group.post("restore", use: self.restore)
    }

    @Sendable
    private func submit(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ReceiptAnswer> {
        try await self.limited(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let proven = try await self.desk.verify(submission.proof(), of: context.user)
            return try await self.apply(proven, naming: submission.transactionID, for: context.user)
        }
    }

    @Sendable
    private func restore(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<RestoreAnswer> {
        try await self.limited(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let proven = try await self.desk.verify(submission.proof(restoring: true), of: context.user)
            return try await self.restore(proven, for: context.user)
        }
    }

    /// Tells in every answer, refusals too, how often the caller may still have a store asked.
    private func limited<Answer: Encodable>(
        _ user: UserID,
        _ work: () async throws -> Answer
    ) async throws -> JSONAnswer<Answer> {
        do {
            let answer = try await work()
            return JSONAnswer(answer, headers: self.desk.limiter.standing(of: user).headers)
        } catch {
            guard var problem = Problem(error) else { throw error }
            for field in self.desk.limiter.standing(of: user).headers { problem.headers[field.name] = field.value }
            throw problem
        }
    }

    /// Lets the wallet decide each transaction on its own; what is decided stays decided if a later one fails.
    private func apply(
        _ proven: ProvenPurchases,
        naming named: String?,
        for user: UserID
    ) async throws -> ReceiptAnswer {
        let known = proven.facts.map(\.transactionID) + proven.unreadable.compactMap(\.transactionID)
        guard !known.isEmpty || !proven.unreadable.isEmpty, named.map(known.contains) ?? true else {
            throw Problem(.unprocessableContent, "no-purchase-found", "The proof holds no such purchase.")
        }
        var outcomes: [FactOutcome] = []
        for fact in proven.facts {
            outcomes.append(
                proven.isTold
                    ? try await self.wallet.apply(StoreEvent.Statement(fact: fact, owners: [user.rawValue]))
                    : try await self.wallet.apply(fact, submittedBy: user)
            )
        }
        if proven.facts.contains(where: { $0.needsAcknowledgement == true }) {
            // What this misses, the next round of the worker tells.
            try await self.acknowledger?.work(limit: 5)
        }
        try Self.refuseForeign(outcomes, naming: named)
        let environment = WalletEnvironment(proven.environment)
        return ReceiptAnswer(
            outcomes: outcomes,
            unreadable: proven.unreadable,
            subscriptions: try await self.wallet.subscriptions(of: user, in: environment).subscriptions,
            balance: try await self.wallet.balance(of: user, in: environment),
            environment: environment
        )
    }

    private func restore(_ proven: ProvenPurchases, for user: UserID) async throws -> RestoreAnswer {
        let found = try await self.wallet.restore(
            for: user,
            facts: proven.facts,
            appTransactionID: proven.appTransactionID
        )
        if !found.isEmpty, found.allSatisfy({ Self.foreignReasons.contains($0.result) }) {
            throw Self.foreign(found.map(\.result))
        }
        let environment = WalletEnvironment(proven.environment)
        let subscriptions = try await self.wallet.subscriptions(of: user, in: environment).subscriptions
        guard found.contains(where: \.isHeld) || subscriptions.contains(where: \.isLive) else {
            throw Problem(
                .notFound,
                "no-active-subscription",
                "There is nothing to restore. Consumables that the app has finished are no longer in a receipt; "
                    + "their signed transactions, if the app kept them, can still be sent."
            )
        }
        return RestoreAnswer(
            found: found,
            subscriptions: subscriptions,
            balance: try await self.wallet.balance(of: user, in: environment),
            environment: environment
        )
    }

    private static let foreignReasons: Set = ["transaction-already-claimed", "account-token-mismatch"]

    /// Refuses the whole submission only when what it is about, or all of it, is somebody else's.
    private static func refuseForeign(_ outcomes: [FactOutcome], naming named: String?) throws {
        let concerned = named.map { name in outcomes.filter { $0.transactionID == name } } ?? outcomes
        guard !concerned.isEmpty, concerned.allSatisfy(\.isForeign) else { return }
        throw Self.foreign(concerned.compactMap(\.reason))
    }

    private static func foreign(_ reasons: [String]) -> Problem {
        if reasons.contains("transaction-already-claimed") {
            return Problem(
                .conflict,
                "transaction-already-claimed",
                "The purchase has been credited to another account."
            )
        }
        return Problem(.forbidden, "account-token-mismatch", "The purchase was made for another account.")
    }
}
