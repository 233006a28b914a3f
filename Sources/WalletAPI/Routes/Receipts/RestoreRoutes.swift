import HTTPTypes
import Hummingbird
import Stores
import Wallet

/// Gives back what a deleted account left behind.
///
/// - `POST /restore` (user)
struct RestoreRoutes {
    let wallet: Wallet
    let desk: ProofDesk

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("restore", use: self.restore)
    }

    @Sendable
    private func restore(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<RestoreAnswer> {
        try await self.desk.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let proven = try await self.desk.verify(submission.proof(restoring: true), of: context.user)
            return try await self.restore(proven, for: context.caller)
        }
    }

    private func restore(_ proven: ProvenPurchases, for caller: Caller) async throws -> RestoreAnswer {
        let found = try await self.wallet.restore(
            for: caller,
            facts: proven.facts,
            appTransactionID: proven.appTransactionID
        )
        if !found.isEmpty, found.allSatisfy({ Problem.foreignReasons.contains($0.result) }) {
            throw Problem.foreignPurchase(found.map(\.result))
        }
        let environment = WalletEnvironment(proven.environment)
        let subscriptions = try await self.wallet.subscriptions(of: caller.user, in: environment).subscriptions
        guard found.contains(where: \.isHeld) || subscriptions.contains(where: \.isLive) else {
            throw Self.nothingToRestore
        }
        return RestoreAnswer(
            found: found,
            subscriptions: subscriptions,
            balance: try await self.wallet.balance(of: caller.user, in: environment),
            environment: environment
        )
    }

    private static let nothingToRestore = Problem(
        .notFound,
        "no-active-subscription",
        "There is nothing to restore. Consumables that the app has finished are no longer in a receipt; "
            + "their signed transactions, if the app kept them, can still be sent."
    )
}
