import Hummingbird
import StoreSync
import Wallet

/// The function `validate-receipt`: grants a purchase from its proof, in the environment that the store reports.
///
/// - `POST /functions/v1/validate-receipt` (user)
struct ValidateReceiptFunction {
    let wallet: Wallet
    let intake: PurchaseIntake
    let limiter: UserRateLimiter

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("validate-receipt", use: self.validate)
    }

    @Sendable
    private func validate(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<ValidatedReceipt>> {
        try await self.limiter.answer(context.user) {
            let start = ContinuousClock.now
            let sent = try await request.json(SupabaseReceipt.self, upTo: BodyLimit.receipts)
            let result = try await self.intake.submit(sent.proof, naming: sent.transactionID, for: context.caller)
            let environment = WalletEnvironment(result.verified.environment)
            let balance = try await self.wallet.balance(of: context.user, in: environment)
            let validated = try ValidatedReceipt(
                result,
                balance: balance.credits,
                elapsed: ContinuousClock.now - start
            )
            return Envelope(validated, requestID: context.requestID)
        }
    }
}
