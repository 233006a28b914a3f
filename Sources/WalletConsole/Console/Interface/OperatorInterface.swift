import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Wallet

/// Calls the API's operator routes within this process for a signed-in operator.
///
/// A page therefore does exactly what an HTTP request to the same route does.
struct OperatorInterface: Sendable {
    let owner: ConsoleOperator
    let respond: @Sendable (Request) async throws -> Response

    /// The maximum size of a response in bytes.
    private static let largestAnswer = 8 * 1_024 * 1_024

    /// Returns the JSON of a GET request.
    ///
    /// - Parameters:
    ///   - path: The route below `/operator/`.
    ///   - query: The query parameters.
    ///   - environment: The wallet's environment, if the route needs one.
    /// - Returns: The JSON of the response.
    /// - Throws: ``ConsoleProblem`` if the response is not a success.
    func get(
        _ path: String,
        _ query: [String: String] = [:],
        environment: WalletEnvironment? = nil
    ) async throws -> JSONValue {
        let call = OperatorCall(.get, path, query: query, environment: environment)
        return try Self.json(try await self.send(call))
    }

    /// Sends a call and returns the JSON of the response.
    func json(_ call: OperatorCall) async throws -> JSONValue {
        try Self.json(try await self.send(call))
    }

    /// Sends a call.
    func send(_ call: OperatorCall) async throws -> (response: Response, body: ByteBuffer) {
        var headers: HTTPFields = [:]
        headers.set("Wallet-Environment", call.environment?.rawValue)
        headers.set("Idempotency-Key", call.key)
        var body = ByteBuffer()
        if let json = call.body {
            headers[.contentType] = "application/json"
            body = ByteBuffer(string: json.jsonText)
            headers[.contentLength] = String(body.readableBytes)
        }
        let head = HTTPRequest(
            method: call.method,
            scheme: nil,
            authority: nil,
            path: call.address,
            headerFields: headers
        )
        let response = try await self.respond(Request(head: head, body: RequestBody(buffer: body)))
        let answer = try await Self.collect(response.body)
        guard response.status.kind == .successful else {
            throw ConsoleProblem(
                response.status.code,
                answer,
                retryAfter: response.headers[.retryAfter].flatMap(Int.init)
            )
        }
        return (response, answer)
    }

    private static func json(_ answer: (response: Response, body: ByteBuffer)) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(answer.body.readableBytesView))
    }

    private static func collect(_ body: ResponseBody) async throws -> ByteBuffer {
        let writer = CollectingWriter(limit: Self.largestAnswer)
        try await body.write(writer)
        return writer.buffer
    }
}
