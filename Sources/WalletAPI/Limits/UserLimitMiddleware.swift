import Hummingbird
import Wallet

/// Limits how many requests one user makes, before the database is asked about any.
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
