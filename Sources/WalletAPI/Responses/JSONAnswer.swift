import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Wallet

/// A response with a value as JSON.
struct JSONAnswer<Value: Encodable & Sendable>: ResponseGenerator {
    let value: Value
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]

    init(_ value: Value, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        self.value = value
        self.status = status
        self.headers = headers
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        try self.response()
    }

    func response() throws -> Response {
        let body = ByteBuffer(bytes: try WireJSON.encoder.encode(self.value))
        var headers = self.headers
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(body.readableBytes)
        return Response(status: self.status, headers: headers, body: ResponseBody(byteBuffer: body))
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
