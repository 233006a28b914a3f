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
