import Hummingbird

/// Lets only operators through: routes below it find the actor in their context.
struct OperatorMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let verifier: TokenVerifier

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.actor = try await self.verifier.actor(of: BearerCredentials.token(in: request.headers))
        return try await next(request, context)
    }
}
