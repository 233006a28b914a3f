public import Tracing

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
