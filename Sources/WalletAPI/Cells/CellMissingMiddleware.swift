import HTTPTypes
import Hummingbird

/// Says what a request lacks that is for no wallet.
///
/// It is added after all routes and therefore runs only for requests that no route took.
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
        // Somebody who sends a token should learn that nobody believes it.
        if request.headers[.authorization] != nil, UnprovenIssuer(of: request) != nil {
            throw WalletAPIError.refused("The token's issuer is not accepted here.")
        }
        throw Problem.notFound(
            "route-not-found",
            "No route has this path that is not a wallet's. A token of its users, or /wallets/NAME before the path, says "
                + "which wallet is meant."
        )
    }
}
