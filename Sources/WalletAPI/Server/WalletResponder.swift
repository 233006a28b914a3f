public import Hummingbird
public import HummingbirdCore

/// Answers requests with the router; each stream request runs in a task of its own.
///
/// A task keeps the memory of its deepest call until it ends, and a connection's task lives as long as the connection.
/// With thousands of open streams, the memory of their token verification would dominate.
public struct WalletResponder: HTTPResponder {
    private let router: RouterResponder<AppRequestContext>

    init(router: RouterResponder<AppRequestContext>) {
        self.router = router
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    /// - Returns: The response.
    /// - Throws: An error that no route and no middleware turned into a response.
    public func respond(to request: Request, context: AppRequestContext) async throws -> Response {
        guard request.uri.path == BalanceStreamRoutes.path else {
            return try await self.router.respond(to: request, context: context)
        }
        async let response = self.router.respond(to: request, context: context)
        return try await response
    }
}
