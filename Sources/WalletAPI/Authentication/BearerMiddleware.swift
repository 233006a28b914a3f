import Hummingbird
import Wallet

/// Lets only users through: routes below it find the token's owner in their context.
struct BearerMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let verifier: TokenVerifier
    let wallet: Wallet

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let bearer = try await self.verifier.bearer(of: BearerCredentials.token(in: request.headers))
        try await self.wallet.admit(bearer.user, issuedAt: bearer.issuedAt, isAnonymous: bearer.isAnonymous)
        context.bearer = bearer
        return try await next(request, context)
    }
}
