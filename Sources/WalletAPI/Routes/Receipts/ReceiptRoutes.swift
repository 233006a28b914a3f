import Hummingbird
import StoreSync
import Wallet

/// Grants purchases to the caller from proofs of purchase.
///
/// - `POST /receipts` (user)
struct ReceiptRoutes {
    let wallet: Wallet
    let intake: PurchaseIntake
    let limiter: UserRateLimiter

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("receipts", use: self.submit)
    }

    @Sendable
    private func submit(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ReceiptAnswer> {
        try await self.limiter.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let result = try await self.intake.submit(
                submission.proof(),
                naming: submission.transactionID,
                for: context.caller
            )
            let environment = WalletEnvironment(result.verified.environment)
            let holdings = try await self.wallet.holdings(of: context.user, in: environment)
            return ReceiptAnswer(
                outcomes: result.outcomes,
                unreadable: result.verified.unreadable,
                subscriptions: holdings.subscriptions,
                balance: holdings.balance,
                environment: environment
            )
        }
    }
}
