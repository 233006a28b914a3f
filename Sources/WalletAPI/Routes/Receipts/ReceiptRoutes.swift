import Hummingbird
import StoreSync
import Wallet

/// Turns proofs of purchase into credits.
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
            return ReceiptAnswer(
                outcomes: result.outcomes,
                unreadable: result.verified.unreadable,
                subscriptions: try await self.wallet.subscriptions(of: context.user, in: environment).subscriptions,
                balance: try await self.wallet.balance(of: context.user, in: environment),
                environment: environment
            )
        }
    }
}
