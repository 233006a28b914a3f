import Hummingbird

/// Lets only users through: routes below it find the token's owner in their context.
struct BearerMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let verifier: TokenVerifier

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.user = try await self.verifier.user(of: BearerCredentials.token(in: request.headers))
        return try await next(request, context)
    }
}
