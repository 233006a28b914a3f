import HTTPTypes
import Hummingbird
import WalletAPI

/// Counts requests by method, route and status, and measures how long each takes until its answer is decided.
struct RequestMetricsMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private let metrics = RequestMetrics()

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        self.metrics.begin()
        defer { self.metrics.end() }
        do {
            let response = try await next(request, context)
            self.metrics.note(request.method, context.endpointPath, response.status, since: start)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
            self.metrics.note(request.method, context.endpointPath, status, since: start)
            throw error
        }
    }
}
