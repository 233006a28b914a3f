import HTTPTypes
import Hummingbird
import Telemetry
import Tracing
import WalletAPI

/// Puts each request into the trace that its caller names by `traceparent`, or into a new one.
///
/// Whatever is logged or asked of a store on its behalf carries the trace on.
struct TraceMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private static let parent = HTTPField.Name("traceparent")
    private static let state = HTTPField.Name("tracestate")

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        var trace = Self.caller(request.headers)?.child() ?? TraceContext()
        trace.requestID = context.requestID
        var service = ServiceContext.current ?? .topLevel
        service.trace = trace
        return try await ServiceContext.withValue(service) { try await next(request, context) }
    }

    /// Where the caller stands in its trace; nil where it says nothing that can be believed.
    private static func caller(_ headers: HTTPFields) -> TraceContext? {
        guard let name = Self.parent, let parent = headers[name] else { return nil }
        return TraceContext(traceparent: parent, tracestate: Self.state.flatMap { headers[$0] })
    }
}
