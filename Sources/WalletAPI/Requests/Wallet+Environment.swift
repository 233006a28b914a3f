import Hummingbird
import Wallet

extension Wallet {
    /// Returns which of a user's wallets a request is about: the one that `Wallet-Environment` names; where it names none,
    /// sandbox for testers and production for everyone else.
    ///
    /// Test builds of an app so need no header of their own, and nobody else ever spends what was bought in a sandbox.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - request: The user's request.
    /// - Returns: The environment.
    /// - Throws: ``Problem`` 400 `malformed-request`; ``WalletError`` 503 when the database does not answer.
    func environment(of user: UserID, in request: Request) async throws -> WalletEnvironment {
        if let named = try request.walletEnvironmentIfSent() { return named }
        return try await self.isTester(user) ? .sandbox : .production
    }
}
