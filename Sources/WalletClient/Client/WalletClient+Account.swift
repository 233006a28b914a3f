import Foundation

extension WalletClient {
    private struct IdentifyBody: Encodable {
        let anonymousToken: String

        private enum CodingKeys: String, CodingKey {
            case anonymousToken = "anonymous_token"
        }
    }

    /// Merges the account of an anonymous user into the account of the signed-in user; a repeat changes nothing.
    ///
    /// After the merge, the service rejects the anonymous user's tokens.
    /// - Parameter anonymousToken: The bearer token of the anonymous user.
    /// - Returns: The user's balance after the merge.
    /// - Throws: ``WalletProblem``, such as `not-mergeable`.
    public func identify(anonymousToken: String) async throws -> Balance {
        let body = try JSONEncoder().encode(IdentifyBody(anonymousToken: anonymousToken))
        return try await self.send(WalletCall(method: "POST", path: ["identify"], body: body), as: Balance.self).0
    }

    /// Deletes the user's account: the service erases the user id and personal text and cancels upcoming bookings.
    ///
    /// Purchases are kept until a user proves them with ``restore(_:)``.
    ///
    /// The client sends this request only once. After the deletion the service rejects the user's old tokens, so a
    /// second attempt could not distinguish success from an invalid token. If no response came, read the balance:
    /// `unauthenticated` for a token that was valid before means that the account is deleted.
    /// - Throws: ``WalletProblem``; ``WalletClientError/Code/unreachable`` if no response came.
    public func deleteAccount() async throws {
        _ = try await self.perform(WalletCall(method: "DELETE", path: ["account"], isRepeatable: false))
    }
}
