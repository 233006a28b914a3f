import Hummingbird
import Wallet

extension Wallet {
    /// Returns the environment of a user's request: the one in `Wallet-Environment`, otherwise sandbox for testers and
    /// production for all other users.
    ///
    /// So test builds of an app need no extra header, and users who are not testers never spend sandbox purchases by
    /// default.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - request: The user's request.
    /// - Returns: The environment.
    /// - Throws: ``Problem`` 400 `malformed-request`; ``WalletError`` 503 if the database is unavailable.
    func environment(of user: UserID, in request: Request) async throws -> WalletEnvironment {
        if let named = try request.walletEnvironmentIfSent() { return named }
        return try await self.isTester(user) ? .sandbox : .production
    }
}
