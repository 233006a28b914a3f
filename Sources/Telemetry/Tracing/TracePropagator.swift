public import Tracing

/// Carries traces through this process: out of the fields of a request, into those of every call made for it.
///
/// It gives each outgoing call an id of its own and records nothing: neither names nor attributes, which may hold what
/// must not be kept, such as the address of a purchase.
public struct TracePropagator: Tracer {
    private static let parentField = "traceparent"
    private static let stateField = "tracestate"

    /// Makes a propagator.
    public init() {}

    /// Begins a piece of work inside the one of the context, or a trace where there is none.
    ///
    /// - Parameters:
    ///   - operationName: Not kept.
    ///   - context: Where the work is begun.
    ///   - kind: Not kept.
    ///   - instant: Not kept.
    ///   - function: Not kept.
    ///   - fileID: Not kept.
    ///   - line: Not kept.
    /// - Returns: The piece of work.
    public func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> TraceSpan {
        var context = context()
        context.trace = context.trace?.child() ?? TraceContext()
        return TraceSpan(context: context)
    }

    /// Does nothing: nothing is kept.
    public func forceFlush() {}

    /// Reads the trace that the fields of a request name; nothing where they name none.
    ///
    /// - Parameters:
    ///   - carrier: The fields.
    ///   - context: Gets the caller's place in its trace.
    ///   - extractor: Reads a field.
    public func extract<Carrier, Extract>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract: Extractor, Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: Self.parentField, from: carrier) else { return }
        let state = extractor.extract(key: Self.stateField, from: carrier)
        guard let trace = TraceContext(traceparent: parent, tracestate: state) else { return }
        context.trace = trace
    }

    /// Writes the trace into the fields of a call.
    ///
    /// - Parameters:
    ///   - context: Where the work stands.
    ///   - carrier: The fields.
    ///   - injector: Writes a field.
    public func inject<Carrier, Inject>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject: Injector, Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.traceparent, forKey: Self.parentField, into: &carrier)
        guard let state = trace.state else { return }
        injector.inject(state, forKey: Self.stateField, into: &carrier)
    }
}
