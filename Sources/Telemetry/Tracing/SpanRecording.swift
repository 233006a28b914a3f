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

/// The span attributes that are exported: attributes of the semantic conventions without user data, and some of the
/// wallet's own.
///
/// Libraries set other attributes, such as the full URL of a call, which may contain a purchase; they are dropped.
enum SpanAttributeNames {
    static let errorType = "error.type"

    private static let status = "http.response.status_code"
    /// AsyncHTTPClient's older name of the status attribute.
    private static let formerStatus = "http.status_code"
    private static let maximumLength = 256

    private static let exported = [
        "db.namespace", "db.operation.name", "db.query.summary", "db.response.status_code", "db.system.name", errorType,
        "http.request.body.size", "http.request.method", status, "http.route", "server.address", "server.port",
        "url.path", "url.scheme", "wallet.batch.size", "wallet.problem", "wallet.queue.name",
    ]

    /// Returns the attributes to export.
    ///
    /// - Parameters:
    ///   - attributes: All attributes of the span.
    ///   - kind: The kind of span. For a client span the path is dropped, since it may contain a purchase's id.
    /// - Returns: The exported attributes in a fixed order.
    static func exported(_ attributes: SpanAttributes, of kind: SpanKind) -> [OTLPAttribute] {
        var attributes = attributes
        if let former = attributes.get(Self.formerStatus), attributes.get(Self.status) == nil {
            attributes[Self.status] = former
        }
        if kind == .client, attributes.get(Self.errorType) == nil, case .int64(let code)? = attributes.get(Self.status),
            code >= 400
        {
            attributes[Self.errorType] = "\(code)"
        }
        return Self.exported.compactMap { name in
            guard kind != .client || name != "url.path" else { return nil }
            return attributes.get(name).flatMap(Self.value).map { OTLPAttribute(name, $0) }
        }
    }

    private static func value(_ value: SpanAttribute) -> OTLPAttribute.Value? {
        switch value {
        case .string(let text): .string(String(text.prefix(Self.maximumLength)))
        case .int32(let number): .int(Int64(number))
        case .int64(let number): .int(number)
        case .bool(let flag): .bool(flag)
        case .double(let number) where number.isFinite: .double(number)
        default: nil
        }
    }
}
