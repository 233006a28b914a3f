import Wallet

extension Adjustment {
    /// Refuses members of the correct type whose values no adjustment can have.
    ///
    /// - Parameter environment: The request's environment. A body that names another environment is refused: an
    ///   operator who tests in the sandbox must not change real credits because a header is missing.
    /// - Returns: The adjustment.
    /// - Throws: ``Problem`` 400 `malformed-request`.
    func checked(in environment: WalletEnvironment) throws -> Adjustment {
        guard self.environment ?? environment == environment else {
            throw Problem.member(
                "environment",
                "must match Wallet-Environment (production if absent)",
                self.environment.map { Received($0.rawValue) }
            )
        }
        try OperatorText.check(self.userID, "user_id", upTo: 320)
        guard self.amount != 0 else { throw Problem.member("amount", "must not be 0") }
        guard self.amount > 0 || self.source != .gift else {
            throw Problem.member("amount", "of a gift must be more than 0", Received(self.amount))
        }
        guard self.amount > 0 || self.expiresAt == nil else {
            throw Problem.member("expires_at", "is allowed only for an amount above 0; the amount is \(self.amount)")
        }
        try OperatorText.check(self.reason, "reason", upTo: 500)
        try OperatorText.check(self.reference, "reference", upTo: 200)
        return self
    }
}
