import Foundation
package import HTTPTypes
package import Hummingbird
import NIOCore
import Stores
import Wallet

/// A response with a value as JSON.
package struct JSONAnswer<Value: Encodable & Sendable>: ResponseGenerator {
    let value: Value
    package var status: HTTPResponse.Status = .ok
    package var headers: HTTPFields = [:]

    package init(_ value: Value, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        self.value = value
        self.status = status
        self.headers = headers
    }

    package func response(from request: Request, context: some RequestContext) throws -> Response {
        try self.response()
    }

    package func response() throws -> Response {
        let body = ByteBuffer(bytes: try WireJSON.encoder.encode(self.value))
        return Response(json: body, status: self.status, headers: self.headers)
    }
}

extension Response {
    /// Creates a response with a body of JSON.
    init(json body: ByteBuffer, status: HTTPResponse.Status, headers: HTTPFields) {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(body.readableBytes)
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

/// Encodes a page under the name of its list, such as `{"bookings": […], "next_cursor": null}`.
struct PagedAnswer<Item: Encodable & Sendable>: Encodable, Sendable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let name: String
    private let items: [Item]
    private let nextCursor: String?

    init(_ name: String, _ page: Page<Item>) {
        self.name = name
        self.items = page.items
        self.nextCursor = page.nextCursor
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.items, forKey: Key(stringValue: self.name))
        try container.encode(self.nextCursor, forKey: Key(stringValue: "next_cursor"))
    }
}

/// The API's only JSON encoder and decoder, so that dates have one format everywhere.
enum WireJSON {
    /// A description of the instant format, for problem details.
    static let instantForm = "an RFC 3339 instant such as 2026-11-21T01:31:00Z"

    /// Encodes instants as RFC 3339 in UTC with whole seconds, and members in a stable order.
    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Self.text(date))
        }
        return encoder
    }()

    /// Decodes RFC 3339 instants with or without fractions, in any offset.
    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            if let date = Self.instant(text) { return date }
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "not an RFC 3339 instant",
                    underlyingError: AllowedValues(Self.instantForm)
                )
            )
        }
        return decoder
    }()

    /// Formats an instant as RFC 3339 in UTC.
    ///
    /// The instant is truncated to whole seconds, not rounded, so that an expiry is never shown a second too late.
    static func text(_ date: Date) -> String {
        guard Self.range.contains(date) else {
            return Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
        }
        return RFC3339.text(ofSeconds: Int64(date.timeIntervalSince1970.rounded(.down)))
    }

    /// Instants outside the years 1970 to 9999 are refused: they are typing errors that later calculations would use.
    private static let range = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 253_402_300_800)

    /// Parses an RFC 3339 instant; returns nil for an invalid text or an instant that does not exist.
    static func instant(_ text: String) -> Date? {
        guard text.utf8.count <= 40, let date = RFC3339(text)?.date, Self.range.contains(date) else { return nil }
        return date
    }
}
