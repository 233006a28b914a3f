import Hummingbird
import Logging

/// Reloads the catalogue before a control sells or renews, so that new products are available immediately.
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
                // The stores keep selling while the wallet is down.
                context.logger.warning(
                    "the catalogue could not be read; the stores keep selling the previous one",
                    metadata: ["error": "\(error)"]
                )
            }
        }
        return try await next(request, context)
    }
}
