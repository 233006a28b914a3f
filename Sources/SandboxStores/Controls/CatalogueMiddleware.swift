import Hummingbird
import Logging

/// Reads the catalogue before a control sells or renews, so that what an operator made a moment ago is sold.
struct CatalogueMiddleware: RouterMiddleware {
    let ledger: SandboxLedger

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        if request.method == .post {
            do {
                try await self.ledger.readCatalogue()
            } catch {
                // A store sells while the wallet is down.
                context.logger.warning("the catalogue as it was is sold", metadata: ["error": "\(error)"])
            }
        }
        return try await next(request, context)
    }
}
