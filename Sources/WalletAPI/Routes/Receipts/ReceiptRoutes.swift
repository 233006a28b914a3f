import Hummingbird
import Stores
import Wallet

/// Turns proofs of purchase into credits.
///
/// - `POST /receipts` (user)
struct ReceiptRoutes {
    let wallet: Wallet
    let desk: ProofDesk
    let acknowledger: Acknowledger?

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("receipts", use: self.submit)
    }

    @Sendable
    private func submit(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ReceiptAnswer> {
        try await self.desk.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let proven = try await self.desk.verify(submission.proof(), of: context.user)
            try proven.requirePurchase(named: submission.transactionID)
            let outcomes = try await self.apply(proven, for: context.user)
            try Self.refuseForeign(outcomes, naming: submission.transactionID)
            return try await self.answer(outcomes, of: proven, for: context.user)
        }
    }

    /// Lets the wallet decide each transaction on its own; what is decided stays decided if a later one fails.
    private func apply(_ proven: ProvenPurchases, for user: UserID) async throws -> [FactOutcome] {
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
        return outcomes
    }

    /// Refuses the whole submission only when what it is about, or all of it, is somebody else's.
    private static func refuseForeign(_ outcomes: [FactOutcome], naming named: String?) throws {
        let concerned = named.map { name in outcomes.filter { $0.transactionID == name } } ?? outcomes
        guard !concerned.isEmpty, concerned.allSatisfy(\.isForeign) else { return }
        throw Problem.foreignPurchase(concerned.compactMap(\.reason))
    }

    private func answer(
        _ outcomes: [FactOutcome],
        of proven: ProvenPurchases,
        for user: UserID
    ) async throws -> ReceiptAnswer {
        let environment = WalletEnvironment(proven.environment)
        return ReceiptAnswer(
            outcomes: outcomes,
            unreadable: proven.unreadable,
            subscriptions: try await self.wallet.subscriptions(of: user, in: environment).subscriptions,
            balance: try await self.wallet.balance(of: user, in: environment),
            environment: environment
        )
    }
}
