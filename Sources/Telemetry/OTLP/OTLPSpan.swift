import Tracing

/// A span in OTLP's JSON encoding: ids in hexadecimal, 64-bit integers as text, enumerations as numbers.
struct OTLPSpan: Encodable, Sendable {
    /// A link to another span, such as a request whose work is part of a batch.
    struct Link: Encodable, Sendable {
        let traceId: String
        let spanId: String

        init(_ trace: TraceContext) {
            self.traceId = trace.traceID
            self.spanId = trace.spanID
        }
    }

    struct Status: Encodable, Sendable {
        /// 0 for an unset status, 2 for an error.
        let code: Int
    }

    let traceId: String
    let spanId: String
    let parentSpanId: String?
    let traceState: String?
    let flags: Int
    let name: String
    let kind: Int
    let startTimeUnixNano: String
    let endTimeUnixNano: String
    let attributes: [OTLPAttribute]
    let links: [Link]
    let status: Status

    init(
        trace: TraceContext,
        parentID: String?,
        name: String,
        kind: SpanKind,
        times: ClosedRange<UInt64>,
        attributes: [OTLPAttribute],
        links: [Link],
        failed: Bool
    ) {
        self.traceId = trace.traceID
        self.spanId = trace.spanID
        self.parentSpanId = parentID
        self.traceState = trace.state
        self.flags = trace.isSampled ? 1 : 0
        self.name = name
        self.kind = Self.number(of: kind)
        self.startTimeUnixNano = "\(times.lowerBound)"
        self.endTimeUnixNano = "\(times.upperBound)"
        self.attributes = attributes
        self.links = links
        self.status = Status(code: failed ? 2 : 0)
    }

    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
