import Foundation

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
