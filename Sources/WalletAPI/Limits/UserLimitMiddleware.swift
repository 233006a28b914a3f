import Hummingbird
import Wallet

/// Limits the number of requests of one user, before any database query.
struct UserLimitMiddleware: RouterMiddleware {
    typealias Context = UserRequestContext

    let limiter: RequestLimiter<UserID>

    func handle(
        _ request: Request,
        context: UserRequestContext,
        next: (Request, UserRequestContext) async throws -> Response
    ) async throws -> Response {
        try await self.limiter.limit(context.user) { try await next(request, context) }
    }
}
