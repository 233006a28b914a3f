import Synchronization
import Tracing

/// The recorded data of a span until it ends.
final class SpanRecording: Sendable {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var links: [TraceContext] = []
        var failed = false
        var isOpen = true
    }

    private let trace: TraceContext
    private let parentID: String?
    private let kind: SpanKind
    private let start: UInt64
    private let processor: SpanProcessor
    private let state: Mutex<State>

    init(
        _ name: String,
        trace: TraceContext,
        parentID: String?,
        kind: SpanKind,
        start: UInt64,
        to processor: SpanProcessor
    ) {
        self.trace = trace
        self.parentID = parentID
        self.kind = kind
        self.start = start
        self.processor = processor
        self.state = Mutex(State(name: name))
    }

    var isOpen: Bool { self.state.withLock { $0.isOpen } }

    var name: String {
        get { self.state.withLock { $0.name } }
        set { self.state.withLock { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { self.state.withLock { $0.attributes } }
        set { self.state.withLock { $0.attributes = newValue } }
    }

    func set(_ status: SpanStatus) {
        self.state.withLock { $0.failed = status.code == .error }
    }

    func set(_ error: any Error) {
        self.state.withLock { state in
            state.failed = true
            state.attributes[SpanAttributeNames.errorType] = "\(type(of: error))"
        }
    }

    func add(_ link: SpanLink) {
        guard let trace = link.context.trace else { return }
        self.state.withLock { $0.links.append(trace) }
    }

    func end(at instant: UInt64) {
        let ended: State? = self.state.withLock { state in
            guard state.isOpen else { return nil }
            state.isOpen = false
            return state
        }
        guard let ended else { return }
        self.processor.take(
            OTLPSpan(
                trace: self.trace,
                parentID: self.parentID,
                name: ended.name,
                kind: self.kind,
                times: self.start...max(self.start, instant),
                attributes: SpanAttributeNames.exported(ended.attributes, of: self.kind),
                links: ended.links.map(OTLPSpan.Link.init),
                failed: ended.failed
            )
        )
    }
}
