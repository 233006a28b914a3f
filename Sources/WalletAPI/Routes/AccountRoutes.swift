import Foundation
import HTTPTypes
import Hummingbird
import Wallet

/// Lets users sign in from an anonymous account, and leave.
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
    private func identify(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<Balance> {
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
        return JSONAnswer(try await self.wallet.balance(of: context.user, in: environment))
    }

    /// A bad token in the body is no fault of the caller's own, so it is not answered as one.
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
    /// Tokens say in whole seconds when they were issued, and one of the deletion's second counts as older. A user who
    /// signs up again after the answer so gets a token that counts as later, also where PostgreSQL's clock runs a little
    /// ahead of this machine's.
    private static func endOfSecond() async {
        let now = Date().timeIntervalSince1970
        let end = (now + 0.05).rounded(.up)
        // A caller who is gone need not be waited for.
        try? await Task.sleep(for: .seconds(end - now))
    }

    private struct AnonymousToken: Decodable {
        let anonymousToken: String

        private enum CodingKeys: String, CodingKey {
            case anonymousToken = "anonymous_token"
        }
    }
}
