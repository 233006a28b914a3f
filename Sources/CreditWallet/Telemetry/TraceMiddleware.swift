import HTTPTypes
import Hummingbird
import Telemetry
import Tracing
import WalletAPI

/// Puts each request into the trace that its caller names by `traceparent`, or into a new one.
///
/// Whatever is logged or asked of a store on its behalf carries the trace on. With a tracer that records, the request
/// and what is done for it are spans. What is measured meanwhile is the wallet's, where there are several.
struct TraceMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private static let parent = HTTPField.Name("traceparent")
    private static let state = HTTPField.Name("tracestate")
    /// Asked every few seconds by whatever watches the service.
    private static let probes: Set = ["/health", "/ready"]

    /// Makes spans; nil for none, and then no request pays for any.
    let tracer: SpanTracer?
    /// The wallet that is asked; nil where there is one, or none is.
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

    /// Where the caller stands in its trace; nil where it says nothing that can be believed.
    private static func caller(_ headers: HTTPFields) -> TraceContext? {
        guard let name = Self.parent, let parent = headers[name] else { return nil }
        return TraceContext(traceparent: parent, tracestate: Self.state.flatMap { headers[$0] })
    }
}
