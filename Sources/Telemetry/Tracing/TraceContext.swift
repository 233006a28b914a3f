public import Logging
import Synchronization
public import Tracing

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

/// The field `tracestate`: data of the services on the way of a trace, by their keys.
enum TraceState {
    private static let maximumMembers = 32
    private static let maximumLength = 512
    private static let longMember = 128
    private static let maximumKey = 256
    private static let maximumTenant = 241
    private static let maximumSystem = 14

    /// Returns the members of a caller's field to pass on.
    ///
    /// - Parameter text: The field, several joined by commas.
    /// - Returns: The members, without the longest ones if the field is too long; nil if there are none, and for an
    ///   invalid field, which is dropped completely.
    static func carried(_ text: String) -> String? {
        let members = text.split(separator: ",", omittingEmptySubsequences: true).map(Self.trimmed)
            .filter { !$0.isEmpty }
        guard members.count <= Self.maximumMembers, members.allSatisfy(Self.isMember) else { return nil }
        guard Set(members.map(Self.key)).count == members.count, !members.isEmpty else { return nil }
        return Self.shortened(members)
    }

    /// Removes long members first, then the last ones, which are the oldest.
    private static func shortened(_ all: [Substring]) -> String? {
        var members = all
        while Self.length(members) > Self.maximumLength {
            let long = members.lastIndex { $0.utf8.count > Self.longMember }
            members.remove(at: long ?? members.count - 1)
        }
        return members.isEmpty ? nil : members.joined(separator: ",")
    }

    private static func length(_ members: [Substring]) -> Int {
        members.reduce(members.count - 1) { $0 + $1.utf8.count }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let head = text.drop(while: isBlank)
        return head[..<(head.lastIndex { !isBlank($0) }.map(head.index(after:)) ?? head.startIndex)]
    }

    private static func key(_ member: Substring) -> Substring {
        member.prefix { $0 != "=" }
    }

    private static func isMember(_ member: Substring) -> Bool {
        let key = Self.key(member)
        guard Self.isKey(key), key.endIndex < member.endIndex else { return false }
        let value = member[member.index(after: key.endIndex)...].utf8
        return (1...256).contains(value.count)
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }
    }

    /// Returns `true` for a valid key: a name, or a tenant's name and a system's name joined by `@`.
    private static func isKey(_ key: Substring) -> Bool {
        let parts = key.split(separator: "@", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return Self.isName(parts[0], atMost: Self.maximumKey, beginsWithDigit: false)
        case 2:
            return Self.isName(parts[0], atMost: Self.maximumTenant, beginsWithDigit: true)
                && Self.isName(parts[1], atMost: Self.maximumSystem, beginsWithDigit: false)
        default: return false
        }
    }

    private static func isName(_ name: Substring, atMost limit: Int, beginsWithDigit: Bool) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= limit else { return false }
        guard Self.isLetter(first) || (beginsWithDigit && Self.isDigit(first)) else { return false }
        return name.utf8.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || "_-*/".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Generates the ids of traces and spans.
///
/// Ids must be unique, not secret: SplitMix64 with a random start needs one atomic addition per number and no system
/// call.
private enum TraceIdentifiers {
    private static let state = Atomic<UInt64>(UInt64.random(in: .min ... .max))

    static func traceID() -> String { Self.hexadecimal((Self.next(), Self.next()), digits: 32) }
    static func spanID() -> String { Self.hexadecimal((Self.next(), 0), digits: 16) }

    /// Returns a number other than zero.
    private static func next() -> UInt64 {
        var number = Self.state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        return number == 0 ? 1 : number
    }

    private static func hexadecimal(_ numbers: (UInt64, UInt64), digits: Int) -> String {
        String(unsafeUninitializedCapacity: digits) { buffer in
            for place in 0..<digits {
                let number = place < 16 ? numbers.0 : numbers.1
                let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * (place & 15))) & 0xF
                buffer[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
            }
            return digits
        }
    }
}

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext

    static var nameOverride: String? { "trace" }
}

extension ServiceContext {
    /// The trace context of the current work; nil outside a trace.
    public var trace: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}

extension Logger.MetadataProvider {
    /// Adds `trace_id`, `span_id` and `request_id` to every log line of a request, including lines of libraries.
    public static let trace = Logger.MetadataProvider {
        guard let trace = ServiceContext.current?.trace else { return [:] }
        var metadata: Logger.Metadata = ["trace_id": .string(trace.traceID), "span_id": .string(trace.spanID)]
        if let requestID = trace.requestID { metadata["request_id"] = .string(requestID) }
        return metadata
    }
}
