import Hummingbird
import Wallet

/// Lets only users through who still have the account that their token was issued for.
///
/// Routes that ask the same together with what they decide, and need no other call for it, stand outside.
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
