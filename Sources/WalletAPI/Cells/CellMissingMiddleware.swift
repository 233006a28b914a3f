import HTTPTypes
import Hummingbird

/// Answers requests that belong to no wallet.
///
/// This middleware is added after all routes, so it runs only for requests that match no route.
struct CellMissingMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard CellPath(request.uri.path) == nil else {
            throw Problem.notFound("route-not-found", "No wallet has this name.")
        }
        // A client that sends a token receives 401 if no wallet accepts the token's issuer.
        if request.headers[.authorization] != nil, UnprovenIssuer(of: request) != nil {
            throw WalletAPIError.refused("The token's issuer is not accepted here.")
        }
        throw Problem.notFound(
            "route-not-found",
            "No route has this path unless a wallet is selected. Send a token of the wallet's users, or put "
                + "/wallets/NAME before the path."
        )
    }
}
