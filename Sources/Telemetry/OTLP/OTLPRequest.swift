import Foundation
import Tracing

/// The body of `POST …/v1/traces`.
struct OTLPRequest: Encodable, Sendable {
    private struct Resource: Encodable, Sendable {
        let attributes: [OTLPAttribute]
    }

    private struct Scope: Encodable, Sendable {
        let name: String
        let version: String?
    }

    private struct ScopeSpans: Encodable, Sendable {
        let scope: Scope
        let spans: [OTLPSpan]
    }

    private struct ResourceSpans: Encodable, Sendable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private let resourceSpans: [ResourceSpans]

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - spans: The spans to send.
    ///   - resource: The resource attributes of the spans, with names of the semantic conventions.
    init(_ spans: [OTLPSpan], resource: [String: String]) {
        let scope = Scope(name: "credit-wallet", version: resource["service.version"])
        let attributes = resource.sorted { $0.key < $1.key }.map { OTLPAttribute($0.key, .string($0.value)) }
        self.resourceSpans = [
            ResourceSpans(
                resource: Resource(attributes: attributes),
                scopeSpans: [ScopeSpans(scope: scope, spans: spans)]
            )
        ]
    }

    /// Encodes the body.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(self)
    }
}

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

/// An attribute in OTLP's JSON encoding.
struct OTLPAttribute: Encodable, Sendable, Equatable {
    enum Value: Encodable, Sendable, Equatable {
        case string(String)
        case int(Int64)
        case double(Double)
        case bool(Bool)

        private enum CodingKeys: String, CodingKey {
            case stringValue
            case intValue
            case doubleValue
            case boolValue
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .string(let text): try container.encode(text, forKey: .stringValue)
            // Protobuf's JSON encodes 64-bit integers as text.
            case .int(let number): try container.encode("\(number)", forKey: .intValue)
            case .double(let number): try container.encode(number, forKey: .doubleValue)
            case .bool(let flag): try container.encode(flag, forKey: .boolValue)
            }
        }
    }

    let key: String
    let value: Value

    init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }
}

/// A collector's response to accepted spans.
struct OTLPResponse: Decodable {
    struct PartialSuccess: Decodable {
        /// Protobuf's JSON encodes 64-bit integers as text; some collectors send a number.
        let rejectedSpans: Int

        private enum CodingKeys: CodingKey {
            case rejectedSpans
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let text = try? container.decodeIfPresent(String.self, forKey: .rejectedSpans) {
                self.rejectedSpans = Int(text) ?? 0
            } else {
                self.rejectedSpans = try container.decodeIfPresent(Int.self, forKey: .rejectedSpans) ?? 0
            }
        }
    }

    let partialSuccess: PartialSuccess?
}
