import Hummingbird

/// Lets only requests with a user's token through: routes below it find the token's owner in their context.
struct BearerMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let verifier: TokenVerifier

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.bearer = try await self.verifier.bearer(of: BearerCredentials.token(in: request.headers))
        return try await next(request, context)
    }
}
