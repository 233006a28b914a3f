import Foundation
import HTTPTypes

/// One request to a ``Collector``.
public struct CollectedExport: Sendable {
    /// The path of the request.
    public let path: String
    /// The request body as text.
    public let body: String
    /// The resource attributes that all of its spans share.
    public let resource: [String: String]
    /// The spans in the request.
    public let spans: [CollectedSpan]
    private let headers: HTTPFields

    init(_ path: String, _ headers: HTTPFields, _ body: String) throws {
        let message = try JSONDecoder().decode(Message.self, from: Data(body.utf8))
        self.path = path
        self.body = body
        self.headers = headers
        self.resource = message.resourceSpans.first.map { CollectedSpan.texts($0.resource.attributes) } ?? [:]
        self.spans = message.resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans)
    }

    /// Returns a field of the request.
    public func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { self.headers[$0] } }

    private struct Message: Decodable {
        struct Resource: Decodable { let attributes: [CollectedSpan.Attribute] }
        struct ScopeSpans: Decodable { let spans: [CollectedSpan] }
        struct ResourceSpans: Decodable {
            let resource: Resource
            let scopeSpans: [ScopeSpans]
        }

        let resourceSpans: [ResourceSpans]
    }
}

/// A span as a collector decodes it.
public struct CollectedSpan: Sendable, Decodable {
    /// The name of the operation.
    public let name: String
    /// The id of the span's trace.
    public let traceID: String
    /// The span's own id.
    public let spanID: String
    /// The id of the parent span; nil for the root of a trace.
    public let parentID: String?
    /// The trace's state.
    public let state: String?
    /// The trace flags; 1 if the trace is sampled.
    public let flags: Int
    /// The kind of span: 1 internal, 2 server, 3 client.
    public let kind: Int
    /// The start and the end, in nanoseconds since 1970.
    public let times: ClosedRange<UInt64>
    /// The attributes; numbers are converted to text.
    public let attributes: [String: String]
    /// The ids of linked spans.
    public let links: [String]
    /// A Boolean value that indicates whether the operation failed.
    public let isError: Bool

    /// Decodes a span from the collector's JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try container.decode(String.self, forKey: .name)
        self.traceID = try container.decode(String.self, forKey: .traceId)
        self.spanID = try container.decode(String.self, forKey: .spanId)
        self.parentID = try container.decodeIfPresent(String.self, forKey: .parentSpanId)
        self.state = try container.decodeIfPresent(String.self, forKey: .traceState)
        self.flags = try container.decode(Int.self, forKey: .flags)
        self.kind = try container.decode(Int.self, forKey: .kind)
        let start = UInt64(try container.decode(String.self, forKey: .startTimeUnixNano)) ?? 0
        let end = UInt64(try container.decode(String.self, forKey: .endTimeUnixNano)) ?? 0
        self.times = start...max(start, end)
        self.attributes = Self.texts(try container.decode([Attribute].self, forKey: .attributes))
        self.links = try container.decode([Link].self, forKey: .links).map(\.spanId)
        self.isError = try container.decode(Status.self, forKey: .status).code == 2
    }

    static func texts(_ attributes: [Attribute]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: attributes.map { ($0.key, $0.value.text) })
    }

    struct Attribute: Decodable {
        struct Value: Decodable {
            let stringValue: String?
            /// The JSON form of Protobuf encodes 64-bit integers as text.
            let intValue: String?
            let boolValue: Bool?
            let doubleValue: Double?

            var text: String {
                let others = self.boolValue.map { "\($0)" } ?? self.doubleValue.map { "\($0)" }
                return self.stringValue ?? self.intValue ?? others ?? ""
            }
        }

        let key: String
        let value: Value
    }

    private struct Link: Decodable { let spanId: String }
    private struct Status: Decodable { let code: Int }

    private enum CodingKeys: CodingKey {
        case name, traceId, spanId, parentSpanId, traceState, flags, kind, startTimeUnixNano, endTimeUnixNano
        case attributes, links, status
    }
}
