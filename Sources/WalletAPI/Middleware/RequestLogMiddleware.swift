import Hummingbird
import Logging

/// Logs each completed request and reports it to the observer: method, route pattern, status and duration.
///
/// Paths are logged as patterns, so that the log contains no ids; queries, bodies, tokens and other fields are never
/// logged.
struct RequestLogMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let observer: (any RequestObserver)?

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        self.observer?.requestBegan(request.method)
        do {
            let response = try await next(request, context)
            self.record(request, context, response.status.code, start)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status.code ?? 500
            self.record(request, context, status, start, slug: (error as? Problem)?.slug)
            throw error
        }
    }

    private func record(
        _ request: Request,
        _ context: AppRequestContext,
        _ status: Int,
        _ start: ContinuousClock.Instant,
        slug: String? = nil
    ) {
        let route = context.endpointPath ?? "NotFound"
        let duration = ContinuousClock.now - start
        self.observer?.requestEnded(
            ObservedRequest(
                method: request.method,
                route: route,
                path: request.uri.path,
                status: status,
                problem: slug,
                duration: duration
            )
        )
        let elapsed = duration.components
        let milliseconds = Double(elapsed.seconds) * 1000 + Double(elapsed.attoseconds / 1_000_000_000_000) / 1000
        var metadata: Logger.Metadata = [
            "method": .string(request.method.rawValue),
            "route": .string(route),
            "status": .stringConvertible(status),
            "duration_ms": .stringConvertible(milliseconds),
        ]
        if let slug { metadata["problem"] = .string(slug) }
        context.logger.info("request", metadata: metadata)
    }
}
