public import Tracing

/// Propagates traces through this process: from the fields of a request to the fields of every call made for it.
///
/// With a recorder it also records sampled spans for a collector. Without one it records nothing and allocates no
/// recording objects.
public struct SpanTracer: Tracer {
    private static let parentField = "traceparent"
    private static let stateField = "tracestate"

    private let recorder: SpanRecorder?

    /// Creates a tracer.
    ///
    /// - Parameter recorder: The recorder of spans, nil to record none.
    public init(recorder: SpanRecorder? = nil) {
        self.recorder = recorder
    }

    /// Starts a span as a child of the context's span, or a new trace if there is none.
    ///
    /// - Parameters:
    ///   - operationName: The name of the span; it must not contain user input.
    ///   - context: The context of the parent span.
    ///   - kind: The kind of span.
    ///   - instant: The start time.
    ///   - function: Ignored.
    ///   - fileID: Ignored.
    ///   - line: Ignored.
    /// - Returns: The span.
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

    /// Does nothing: the processor sends spans in the background.
    public func forceFlush() {}

    /// Reads the trace context from the fields of a request; does nothing if they contain none.
    ///
    /// - Parameters:
    ///   - carrier: The fields.
    ///   - context: The context that gets the caller's trace context.
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

    /// Writes the trace context into the fields of a call.
    ///
    /// - Parameters:
    ///   - context: The context of the current span.
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

/// A span of a trace, which is recorded if the trace is sampled.
public struct TraceSpan: Tracing.Span {
    /// The context with the span's trace context.
    public let context: ServiceContext

    private let recording: SpanRecording?

    init(context: ServiceContext, recording: SpanRecording?) {
        self.context = context
        self.recording = recording
    }

    /// A Boolean value that indicates whether the span still records data.
    public var isRecording: Bool { self.recording?.isOpen ?? false }

    /// The name of the span; it must not contain user input.
    public var operationName: String {
        get { self.recording?.name ?? "" }
        nonmutating set { self.recording?.name = newValue }
    }

    /// The attributes of the span; only attributes without user data are exported.
    public var attributes: SpanAttributes {
        get { self.recording?.attributes ?? [:] }
        nonmutating set { self.recording?.attributes = newValue }
    }

    /// Sets whether the work failed; the message of the status is not recorded.
    public func setStatus(_ status: SpanStatus) { self.recording?.set(status) }
    /// Records nothing: an event may contain user input.
    public func addEvent(_ event: SpanEvent) {}
    /// Records a link to another span for which this work is done.
    public func addLink(_ link: SpanLink) { self.recording?.add(link) }

    /// Records the type of an error as `error.type`; its text is not recorded, since it may contain user input.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        self.recording?.set(error)
    }

    /// Ends the span and passes it to the processor; a second call has no effect.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let recording = self.recording else { return }
        recording.end(at: instant().nanosecondsSinceEpoch)
    }
}
