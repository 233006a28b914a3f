import Foundation
import HTTPTypes
import Hummingbird
import Wallet

/// Merges an anonymous account into the signed-in account, and deletes accounts.
///
/// - `POST /identify` (user)
/// - `DELETE /account` (user)
struct AccountRoutes {
    let wallet: Wallet
    let tokens: TokenVerifier

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("identify", use: self.identify)
        group.delete("account", use: self.delete)
    }

    @Sendable
    private func identify(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let token = try await request.json(AnonymousToken.self).anonymousToken
        let anonymous = try await self.anonymousBearer(token)
        guard anonymous.isAnonymous, !context.bearer.isAnonymous, anonymous.issuer == context.bearer.issuer else {
            throw Problem(
                .forbidden,
                "not-mergeable",
                "Only an anonymous account of the same issuer can be merged, and only into one that is signed in."
            )
        }
        try await self.wallet.merge(anonymous.caller, into: context.caller)
        return WireAnswer(json: try await self.wallet.balance(of: context.user, in: environment).json())
    }

    /// An invalid token in the body is not a failed authentication of the caller, so the response is 403, not 401.
    private func anonymousBearer(_ token: String) async throws -> Bearer {
        do {
            return try await self.tokens.bearer(of: token)
        } catch {
            guard error.code == .unauthenticated else { throw error }
            throw Problem(.forbidden, "not-mergeable", "The anonymous token is not accepted: \(error.reason)")
        }
    }

    @Sendable
    private func delete(_ request: Request, _ context: UserRequestContext) async throws -> HTTPResponse.Status {
        try await self.wallet.deleteAccount(of: context.caller)
        await Self.endOfSecond()
        return .noContent
    }

    /// Waits until the second in which an account was deleted is over.
    ///
    /// Tokens state their issue time in whole seconds, and a token from the second of the deletion is refused as older.
    /// After this wait, a user who signs up again receives a token that is accepted, even if PostgreSQL's clock is
    /// slightly ahead of this machine's clock.
    private static func endOfSecond() async {
        let now = Date().timeIntervalSince1970
        let end = (now + 0.05).rounded(.up)
        // If the client disconnected, the wait may end early.
        try? await Task.sleep(for: .seconds(end - now))
    }

    private struct AnonymousToken: Decodable {
        let anonymousToken: String

        private enum CodingKeys: String, CodingKey {
            case anonymousToken = "anonymous_token"
        }
    }
}
