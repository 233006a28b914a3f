public import Logging
public import Tracing

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext

    static var nameOverride: String? { "trace" }
}

extension ServiceContext {
    /// Where the work that runs stands in its trace; nil outside of any.
    public var trace: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}

extension Logger.MetadataProvider {
    /// Adds `trace_id`, `span_id` and `request_id` to every line that is logged for a request, by anyone whom.
    public static let trace = Logger.MetadataProvider {
        guard let trace = ServiceContext.current?.trace else { return [:] }
        var metadata: Logger.Metadata = ["trace_id": .string(trace.traceID), "span_id": .string(trace.spanID)]
        if let requestID = trace.requestID { metadata["request_id"] = .string(requestID) }
        return metadata
    }
}
