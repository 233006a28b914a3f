/// Where a piece of work stands in a trace that runs through several services (W3C Trace Context, level 1).
public struct TraceContext: Sendable, Hashable {
    /// Names the trace: 32 lower-case hexadecimal digits, not all zero.
    public let traceID: String
    /// Names this piece of work in it: 16 lower-case hexadecimal digits, not all zero.
    public let spanID: String
    /// Whether the trace is recorded: what its caller says, unless a sampler of this process decides again.
    public internal(set) var isSampled: Bool
    /// What the services on the way want to find again, as it goes on; nil for nothing.
    public let state: String?
    /// The request that the work is done for, as logs name it; does not leave the process.
    public var requestID: String?

    /// Begins a trace.
    public init() {
        self.init(traceID: TraceIdentifiers.traceID(), spanID: TraceIdentifiers.spanID(), isSampled: false, state: nil)
    }

    init(traceID: String, spanID: String, isSampled: Bool, state: String?) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// Begins a piece of work inside this one.
    ///
    /// - Returns: Its place in the same trace.
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

    /// The field `traceparent` of a call that is made for this piece of work.
    public var traceparent: String { "00-\(self.traceID)-\(self.spanID)-\(self.isSampled ? "01" : "00")" }
}

extension TraceContext {
    private static let length = 55

    /// Reads where a caller stands in its trace; nil for a `traceparent` that must not be believed.
    ///
    /// - Parameters:
    ///   - traceparent: The field of that name; a caller that sent several sent none.
    ///   - tracestate: The field of that name, several joined by commas. One that is malformed is left out.
    public init?(traceparent: String, tracestate: String? = nil) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= Self.length, Self.isHexadecimal(bytes[0..<2]) else { return nil }
        let version = traceparent.utf8.prefix(2)
        // Version ff is forbidden. A later one may go on behind a dash, the first may not.
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
