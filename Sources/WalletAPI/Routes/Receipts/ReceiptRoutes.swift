import Hummingbird
import Stores
import Wallet

/// Turns proofs of purchase into credits.
///
/// - `POST /receipts` (user)
struct ReceiptRoutes {
    let wallet: Wallet
    let desk: ProofDesk
    let redemption: Redemption

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("receipts", use: self.submit)
    }

    @Sendable
    private func submit(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ReceiptAnswer> {
        try await self.desk.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let result = try await self.redemption.redeem(
                submission.proof(),
                naming: submission.transactionID,
                for: context.caller
            )
            let environment = WalletEnvironment(result.proven.environment)
            return ReceiptAnswer(
                outcomes: result.outcomes,
                unreadable: result.proven.unreadable,
                subscriptions: try await self.wallet.subscriptions(of: context.user, in: environment).subscriptions,
                balance: try await self.wallet.balance(of: context.user, in: environment),
                environment: environment
            )
        }
    }
}
