import Foundation
import HTTPTypes

/// One request to a ``Collector``.
public struct CollectedExport: Sendable {
    /// Where it went.
    public let path: String
    /// Its body as it came.
    public let body: String
    /// What all of its spans are of.
    public let resource: [String: String]
    /// What it brought.
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

/// A span as a collector reads it.
public struct CollectedSpan: Sendable, Decodable {
    /// What the work is called.
    public let name: String
    /// The trace that it is part of.
    public let traceID: String
    /// The span itself.
    public let spanID: String
    /// The span that it was begun in; nil for the first of a trace.
    public let parentID: String?
    /// The trace's state.
    public let state: String?
    /// 1 for a trace that is recorded.
    public let flags: Int
    /// 1 internal, 2 server, 3 client.
    public let kind: Int
    /// Nanoseconds since 1970.
    public let times: ClosedRange<UInt64>
    /// What is known about it, numbers too as text.
    public let attributes: [String: String]
    /// The spans that it is linked with.
    public let links: [String]
    /// Whether it failed.
    public let isError: Bool

    /// Reads a span.
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
            /// 64 bits are text in Protobuf's JSON.
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
