public import Tracing

/// Carries traces through this process: out of the fields of a request, into those of every call made for it.
///
/// With a recorder it also keeps what the sampler chooses, for a collector. Without one it records nothing and makes no
/// object for a span beside its place.
public struct SpanTracer: Tracer {
    private static let parentField = "traceparent"
    private static let stateField = "tracestate"

    private let recorder: SpanRecorder?

    /// Makes a tracer.
    ///
    /// - Parameter recorder: What keeps spans, nil for nothing.
    public init(recorder: SpanRecorder? = nil) {
        self.recorder = recorder
    }

    /// Begins a piece of work inside the one of the context, or a trace where there is none.
    ///
    /// - Parameters:
    ///   - operationName: What the work is called; it must hold nothing that a user chose.
    ///   - context: Where the work is begun.
    ///   - kind: Which side of a call it is.
    ///   - instant: When it begins.
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
        let parent = context.trace
        guard let recorder = self.recorder else {
            context.trace = parent?.child() ?? TraceContext()
            return TraceSpan(context: context, recording: nil)
        }
        var trace = parent?.child() ?? TraceContext()
        trace.isSampled = recorder.sampler.samples(trace, parent: parent)
        context.trace = trace
        guard trace.isSampled else { return TraceSpan(context: context, recording: nil) }
        let recording = SpanRecording(
            operationName,
            trace: trace,
            parentID: parent?.spanID,
            kind: kind,
            start: instant().nanosecondsSinceEpoch,
            to: recorder.processor
        )
        return TraceSpan(context: context, recording: recording)
    }

    /// Does nothing: the processor sends on its own.
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
