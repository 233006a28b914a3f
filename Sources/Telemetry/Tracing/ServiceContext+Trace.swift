public import Logging
public import Tracing

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext

    static var nameOverride: String? { "trace" }
}

extension ServiceContext {
    /// The trace context of the current work; nil outside a trace.
    public var trace: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}

extension Logger.MetadataProvider {
    /// Adds `trace_id`, `span_id` and `request_id` to every log line of a request, including lines of libraries.
    public static let trace = Logger.MetadataProvider {
        guard let trace = ServiceContext.current?.trace else { return [:] }
        var metadata: Logger.Metadata = ["trace_id": .string(trace.traceID), "span_id": .string(trace.spanID)]
        if let requestID = trace.requestID { metadata["request_id"] = .string(requestID) }
        return metadata
    }
}
