public import Tracing

/// A piece of work that has a place in a trace and keeps nothing else.
public struct TraceSpan: Tracing.Span {
    /// The place.
    public let context: ServiceContext

    init(context: ServiceContext) {
        self.context = context
    }

    /// Whether anything of what follows is kept: no.
    public var isRecording: Bool { false }

    /// Not kept.
    public var operationName: String {
        get { "" }
        nonmutating set {}
    }

    /// Not kept.
    public var attributes: SpanAttributes {
        get { [:] }
        nonmutating set {}
    }

    /// Keeps nothing.
    public func setStatus(_ status: SpanStatus) {}
    /// Keeps nothing.
    public func addEvent(_ event: SpanEvent) {}
    /// Keeps nothing.
    public func addLink(_ link: SpanLink) {}

    /// Keeps nothing.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error,
        attributes: SpanAttributes,
        at instant: @autoclosure () -> Instant
    ) {}

    /// Keeps nothing.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {}
}
