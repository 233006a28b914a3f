public import HTTPTypes
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

/// An observer of every request, for metrics.
public protocol RequestObserver: Sendable {
    /// Called when a request arrives.
    ///
    /// - Parameter method: The request's method, which may be any text.
    func requestBegan(_ method: HTTPRequest.Method)

    /// Called when the response to a request is decided.
    ///
    /// - Parameter request: The request and its outcome.
    func requestEnded(_ request: ObservedRequest)
}

/// A request and its outcome.
public struct ObservedRequest: Sendable {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The pattern of the request's route; `NotFound` if no route matches.
    public let route: String
    /// The path without the query; it may contain user ids.
    public let path: String
    /// The response's status.
    public let status: Int
    /// The slug of the problem in the response; nil if there is none.
    public let problem: String?
    /// The time from the start of the request to its response.
    public let duration: Duration

    /// Creates a value, for tests.
    public init(
        method: HTTPRequest.Method,
        route: String,
        path: String,
        status: Int,
        problem: String? = nil,
        duration: Duration
    ) {
        self.method = method
        self.route = route
        self.path = path
        self.status = status
        self.problem = problem
        self.duration = duration
    }
}
