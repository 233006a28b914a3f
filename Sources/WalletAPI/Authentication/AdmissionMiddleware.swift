import Hummingbird
import Wallet

/// Admits a user only if the account that the token was issued for still exists.
///
/// Routes that check admission in the same database call as their own work do not use this middleware.
struct AdmissionMiddleware: RouterMiddleware {
    typealias Context = UserRequestContext

    let wallet: Wallet

    func handle(
        _ request: Request,
        context: UserRequestContext,
        next: (Request, UserRequestContext) async throws -> Response
    ) async throws -> Response {
        try await self.wallet.admit(context.caller)
        return try await next(request, context)
    }
}
