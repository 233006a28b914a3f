import Hummingbird
import Wallet

/// Requires a valid operator token with a right, and stores the actor in the request context.
struct OperatorMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let verifier: TokenVerifier

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let (id, right) = try await self.verifier.actor(of: BearerCredentials.token(in: request.headers))
        guard let right else { throw Problem.rightMissing }
        context.actor = OperatorIdentity(id: id, right: right)
        return try await next(request, context)
    }
}
