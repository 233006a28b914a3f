/// The position of a span in a distributed trace (W3C Trace Context, level 1).
public struct TraceContext: Sendable, Hashable {
    /// The id of the trace: 32 lower-case hexadecimal digits, not all zero.
    public let traceID: String
    /// The id of the span: 16 lower-case hexadecimal digits, not all zero.
    public let spanID: String
    /// A Boolean value that indicates whether the trace is recorded: the caller's decision, unless a sampler of this
    /// process overrides it.
    public internal(set) var isSampled: Bool
    /// The `tracestate` field to pass on, with vendors' data of the services on the way; nil if empty.
    public let state: String?
    /// The id of the request in logs; it does not leave the process.
    public var requestID: String?

    /// Creates the context of a new trace.
    public init() {
        self.init(traceID: TraceIdentifiers.traceID(), spanID: TraceIdentifiers.spanID(), isSampled: false, state: nil)
    }

    init(traceID: String, spanID: String, isSampled: Bool, state: String?) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// Creates the context of a child span.
    ///
    /// - Returns: The child's context in the same trace.
    public func child() -> TraceContext {
        var child = TraceContext(
            traceID: self.traceID,
            spanID: TraceIdentifiers.spanID(),
            isSampled: self.isSampled,
            state: self.state
        )
        child.requestID = self.requestID
        return child
    }

    /// The field `traceparent` of a call that is made by this span.
    public var traceparent: String { "00-\(self.traceID)-\(self.spanID)-\(self.isSampled ? "01" : "00")" }
}

extension TraceContext {
    private static let length = 55

    /// Reads a caller's trace context; nil for an invalid `traceparent`.
    ///
    /// - Parameters:
    ///   - traceparent: The field of that name. Pass nothing if the caller sent several.
    ///   - tracestate: The field of that name, several joined by commas. A malformed one is dropped.
    public init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= Self.length, Self.isHexadecimal(bytes[0..<2]) else { return nil }
        let version = traceparent.utf8.prefix(2)
        // Version ff is forbidden. Later versions may continue after a dash; version 00 may not.
        guard !version.elementsEqual("ff".utf8) else { return nil }
        if bytes.count > Self.length {
            guard !version.elementsEqual("00".utf8), bytes[Self.length] == UInt8(ascii: "-") else { return nil }
        }
        guard [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }) else { return nil }
        let (trace, span, flags) = (bytes[3..<35], bytes[36..<52], bytes[53..<55])
        guard
            [trace, span, flags].allSatisfy(Self.isHexadecimal),
            !Self.isZero(trace), !Self.isZero(span), let bits = UInt8(String(decoding: flags, as: UTF8.self), radix: 16)
        else { return nil }
        self.init(
            traceID: String(decoding: trace, as: UTF8.self),
            spanID: String(decoding: span, as: UTF8.self),
            isSampled: bits & 1 == 1,
            state: tracestate.flatMap(TraceState.carried)
        )
    }

    private static func isHexadecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isZero(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == UInt8(ascii: "0") }
    }
}
