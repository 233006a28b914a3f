import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

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
