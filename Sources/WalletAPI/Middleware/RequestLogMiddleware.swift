import Hummingbird
import Logging

/// Logs each request once it is decided: its method, the route's pattern, the status and the time taken.
///
/// Paths are logged as patterns, so that ids stay out; queries, bodies, tokens and other fields never appear.
struct RequestLogMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        do {
            let response = try await next(request, context)
            self.log(request, context, response.status.code, start)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status.code ?? 500
            self.log(request, context, status, start, slug: (error as? Problem)?.slug)
            throw error
        }
    }

    private func log(
        _ request: Request,
        _ context: AppRequestContext,
        _ status: Int,
        _ start: ContinuousClock.Instant,
        slug: String? = nil
    ) {
        let elapsed = (ContinuousClock.now - start).components
        let milliseconds = Double(elapsed.seconds) * 1000 + Double(elapsed.attoseconds / 1_000_000_000_000) / 1000
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue),
            "route": .string(context.endpointPath ?? "NotFound"),
            "status": .stringConvertible(status),
            "duration_ms": .stringConvertible(milliseconds),
        ]
        if let slug { metadata["problem"] = .string(slug) }
        context.logger.info("request", metadata: metadata)
    }
}
