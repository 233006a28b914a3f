import Foundation

extension WalletClient {
    private struct IdentifyBody: Encodable {
        let anonymousToken: String

        private enum CodingKeys: String, CodingKey {
            case anonymousToken = "anonymous_token"
        }
    }

    /// Moves what an anonymous user has into the account of the user who has signed in; again it changes nothing.
    ///
    /// Afterwards the anonymous user's tokens open nothing any more.
    /// - Parameter anonymousToken: the bearer token that the anonymous user had.
    /// - Returns: what the user's wallet holds now.
    /// - Throws: ``WalletProblem``, such as `not-mergeable`.
    public func identify(anonymousToken: String) async throws -> Balance {
        let body = try JSONEncoder().encode(IdentifyBody(anonymousToken: anonymousToken))
        return try await self.send(WalletCall(method: "POST", path: ["identify"], body: body), as: Balance.self).0
    }

    /// Deletes the user's account: the user id and personal text go, upcoming bookings are cancelled, and what was
    /// bought waits for anyone who proves to have bought it.
    ///
    /// It is sent once: the user's tokens from before open nothing afterwards, so a second attempt could not distinguish
    /// success from a token that was never good. Where no answer came, ask for the balance: `unauthenticated` for a
    /// token that was good before means that the account is gone.
    /// - Throws: ``WalletProblem``; ``WalletClientError`` `unreachable` where no answer came.
    public func deleteAccount() async throws {
        _ = try await self.perform(WalletCall(method: "DELETE", path: ["account"], isRepeatable: false))
    }
}
