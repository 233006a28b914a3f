import Foundation
package import HTTPTypes
package import Hummingbird
import NIOCore
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
