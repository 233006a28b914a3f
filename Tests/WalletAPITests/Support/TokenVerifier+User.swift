import Wallet

@testable import WalletAPI

extension TokenVerifier {
    /// Returns the user that a token identifies.
    func user(of token: String) async throws(WalletAPIError) -> UserID {
        try await self.bearer(of: token).user
    }
}
