import HTTPTypes
import Hummingbird
import Telemetry
import Tracing
import WalletAPI

/// Assigns each request to the trace in its `traceparent` field, or to a new trace.
///
/// Logs and store calls of the request carry the trace. With a recording tracer, the request and its operations are
/// spans. With several wallets, the metrics of the request are assigned to its wallet.
struct TraceMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private static let parent = HTTPField.Name("traceparent")
    private static let state = HTTPField.Name("tracestate")
    /// Monitoring systems request these paths every few seconds.
    private static let probes: Set = ["/health", "/ready"]

    /// The tracer that creates spans; nil disables spans and their cost.
    let tracer: SpanTracer?
    /// The wallet of the requests; nil if there is only one wallet, or for requests without a wallet.
    var wallet: String?

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let wallet = self.wallet else { return try await self.trace(request, context, next) }
        return try await MetricOwner.$wallet.withValue(wallet) { try await self.trace(request, context, next) }
    }

    private func trace(
        _ request: Request,
        _ context: AppRequestContext,
        _ next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let caller = Self.caller(request.headers)
        guard let tracer = self.tracer, caller != nil || !Self.probes.contains(request.uri.path) else {
            let trace = caller?.child() ?? TraceContext()
            return try await Self.within(.current ?? .topLevel, trace, request, context, next)
        }
        var service = ServiceContext.current ?? .topLevel
        service.trace = caller
        let span = ServerSpan(tracer.startSpan("HTTP", context: service, ofKind: .server), request)
        do {
            let response = try await Self.within(span.context, span.context.trace, request, context, next)
            span.end(status: response.status.code, route: context.endpointPath)
            return response
        } catch {
            let status = (error as? any HTTPResponseError)?.status.code ?? 500
            span.end(status: status, route: context.endpointPath, problem: WalletServer.problem(in: error))
            throw error
        }
    }

    private static func within(
        _ service: ServiceContext,
        _ trace: TraceContext?,
        _ request: Request,
        _ context: AppRequestContext,
        _ next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var service = service
        service.trace = trace
        service.trace?.requestID = context.requestID
        return try await ServiceContext.withValue(service) { try await next(request, context) }
    }

    /// Returns the caller's trace context; nil if the field is missing or invalid.
    private static func caller(_ headers: HTTPFields) -> TraceContext? {
        guard let name = Self.parent, let parent = headers[name] else { return nil }
        return TraceContext(traceparent: parent, tracestate: Self.state.flatMap { headers[$0] })
    }
}

/// The span of a request, according to OpenTelemetry's conventions for HTTP servers.
///
/// It contains the pattern of the route instead of the path, which contains ids, and no queries, fields or bodies.
private struct ServerSpan: Sendable {
    private static let redacted = "REDACTED"

    private let span: TraceSpan
    private let method: String
    private let authority: String?

    init(_ span: TraceSpan, _ request: Request) {
        self.span = span
        self.method = HTTPServerNames.method(request.method)
        self.authority = request.head.authority
    }

    /// The trace context of the request.
    var context: ServiceContext { self.span.context }

    /// Ends the span.
    ///
    /// - Parameters:
    ///   - status: The response's status.
    ///   - route: Hummingbird's pattern of the route.
    ///   - problem: The slug of the problem in the response.
    func end(status: Int, route: String?, problem: String? = nil) {
        if self.span.isRecording { self.describe(status, HTTPServerNames.route(route), problem) }
        self.span.end()
    }

    private func describe(_ status: Int, _ route: String?, _ problem: String?) {
        let name = self.method == HTTPServerNames.otherMethod ? "HTTP" : self.method
        self.span.operationName = route.map { "\(name) \($0)" } ?? name
        self.span.updateAttributes { attributes in
            attributes["http.request.method"] = self.method
            attributes["http.response.status_code"] = status
            attributes["http.route"] = route
            attributes["url.path"] = route ?? Self.redacted
            attributes["url.scheme"] = HTTPServerNames.scheme
            attributes["wallet.problem"] = problem
            if let (host, port) = self.authority.flatMap(Self.server) {
                attributes["server.address"] = host
                attributes["server.port"] = port
            }
            if status >= 500 { attributes["error.type"] = problem ?? "\(status)" }
        }
        if status >= 500 { self.span.setStatus(SpanStatus(code: .error)) }
    }

    /// Returns the host and port of the request; nil if the text is not a host name, because clients can send any text.
    private static func server(_ authority: String) -> (String, Int?)? {
        guard let parts = authority.wholeMatch(of: /([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?/)
        else { return nil }
        return (String(parts.1), parts.2.flatMap { Int($0) })
    }
}
