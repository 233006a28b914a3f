import Hummingbird

/// Requires a valid user token and stores the token's user in the request context.
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
