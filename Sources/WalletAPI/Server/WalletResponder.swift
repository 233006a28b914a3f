public import Hummingbird
public import HummingbirdCore

/// Answers requests by the router, those for a stream each in a task of its own.
///
/// A task keeps the memory that its deepest call needed until it ends, and a connection's task lives as long as the
/// connection: with thousands of streams open, that of verifying their tokens would be most of all memory.
public struct WalletResponder: HTTPResponder {
    private let router: RouterResponder<AppRequestContext>

    init(router: RouterResponder<AppRequestContext>) {
        self.router = router
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What is known about it so far.
    /// - Returns: The answer.
    /// - Throws: What no route and no middleware turned into an answer.
    public func respond(to request: Request, context: AppRequestContext) async throws -> Response {
        guard request.uri.path == BalanceStreamRoutes.path else {
            return try await self.router.respond(to: request, context: context)
        }
        async let response = self.router.respond(to: request, context: context)
        return try await response
    }
}
