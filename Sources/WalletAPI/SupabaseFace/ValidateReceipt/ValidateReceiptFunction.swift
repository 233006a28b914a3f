import Hummingbird
import Wallet

/// The function `validate-receipt`: turns a proof of purchase into credits, in whichever wallet the store says.
///
/// - `POST /functions/v1/validate-receipt` (user)
struct ValidateReceiptFunction {
    let wallet: Wallet
    let proofs: ProofDesk
    let redemption: Redemption

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("validate-receipt", use: self.validate)
    }

    @Sendable
    private func validate(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<ValidatedReceipt>> {
        try await self.proofs.answer(context.user) {
            let start = ContinuousClock.now
            let sent = try await request.json(FaceReceipt.self, upTo: BodyLimit.receipts)
            let result = try await self.redemption.redeem(sent.proof, naming: sent.transactionID, for: context.caller)
            let environment = WalletEnvironment(result.proven.environment)
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
