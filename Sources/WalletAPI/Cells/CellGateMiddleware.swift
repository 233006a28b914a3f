import Hummingbird

/// Answers 503 for a wallet that is not usable yet, except for its health and readiness probes.
struct CellGateMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private static let questions: Set = ["/health", "/ready"]

    let gate: CellGate

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard self.gate.isOpen || Self.questions.contains(request.uri.path) else {
            throw Problem(
                .serviceUnavailable,
                "database-unavailable",
                "The wallet's database cannot be used yet.",
                retryAfter: 5
            )
        }
        return try await next(request, context)
    }
}
