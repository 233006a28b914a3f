public import Tracing

/// A piece of work that has a place in a trace, and is recorded there where the trace is sampled.
public struct TraceSpan: Tracing.Span {
    /// The place.
    public let context: ServiceContext

    private let recording: SpanRecording?

    init(context: ServiceContext, recording: SpanRecording?) {
        self.context = context
        self.recording = recording
    }

    /// Whether anything of what follows is kept.
    public var isRecording: Bool { self.recording?.isOpen ?? false }

    /// What the work is called; it must hold nothing that a user chose.
    public var operationName: String {
        get { self.recording?.name ?? "" }
        nonmutating set { self.recording?.name = newValue }
    }

    /// What is known about the work; only attributes that are known to hold nothing of users leave the process.
    public var attributes: SpanAttributes {
        get { self.recording?.attributes ?? [:] }
        nonmutating set { self.recording?.attributes = newValue }
    }

    /// Notes how the work ended; the text of the status is not kept.
    public func setStatus(_ status: SpanStatus) { self.recording?.set(status) }
    /// Keeps nothing: an event may quote what a user sent.
    public func addEvent(_ event: SpanEvent) {}
    /// Notes other work that this is done for.
    public func addLink(_ link: SpanLink) { self.recording?.add(link) }

    /// Notes the type of an error as `error.type`; its text, which may quote what a user sent, is not kept.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {
        self.recording?.set(error)
    }

    /// Ends the work and hands it to the processor; a second end is nothing.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let recording = self.recording else { return }
        recording.end(at: instant().nanosecondsSinceEpoch)
    }
}
