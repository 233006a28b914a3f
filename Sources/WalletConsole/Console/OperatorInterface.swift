import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Wallet

/// Calls the API's operator routes within this process for a signed-in operator.
///
/// A page therefore does exactly what an HTTP request to the same route does.
struct OperatorInterface: Sendable {
    /// The maximum size of a response in bytes.
    private static let largestAnswer = 8 * 1_024 * 1_024

    let respond: @Sendable (Request) async throws -> Response

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
        try await self.json(OperatorCall(.get, path, query: query, environment: environment))
    }

    /// Sends a call and returns the JSON of the response.
    func json(_ call: OperatorCall) async throws -> JSONValue {
        let body = try await self.send(call).body
        return try JSONDecoder().decode(JSONValue.self, from: Data(body.readableBytesView))
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

    private static func collect(_ body: ResponseBody) async throws -> ByteBuffer {
        let writer = CollectingWriter(limit: Self.largestAnswer)
        try await body.write(writer)
        return writer.buffer
    }
}

/// Collects the body of a response in memory.
private final class CollectingWriter: ResponseBodyWriter {
    private(set) var buffer = ByteBuffer()
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func write(_ buffer: ByteBuffer) async throws {
        guard self.buffer.readableBytes + buffer.readableBytes <= self.limit else {
            throw ConsoleProblem(status: 500, title: "The response is too large for a page.")
        }
        self.buffer.writeImmutableBuffer(buffer)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

/// A call of an operator route.
struct OperatorCall: Sendable {
    let method: HTTPRequest.Method
    /// The route below `/operator/`.
    let path: String
    var query: [String: String]
    var environment: WalletEnvironment?
    var body: JSONValue?
    /// The Idempotency-Key, if the call has one.
    var key: String?

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: [String: String] = [:],
        environment: WalletEnvironment? = nil,
        body: JSONValue? = nil,
        key: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.environment = environment
        self.body = body
        self.key = key
    }

    /// The path and the query.
    var address: String {
        "/operator/\(self.path)" + WebAddress.query(self.query)
    }

    /// Returns a curl command that sends the same call.
    func curl(to apiURL: String) -> String {
        var parts = ["curl -X \(self.method.rawValue) \(Self.quoted(apiURL + self.address))"]
        parts.append("-H \"Authorization: Bearer $OPERATOR_TOKEN\"")
        if let key = self.key { parts.append("-H \(Self.quoted("Idempotency-Key: \(key)"))") }
        if let environment = self.environment {
            parts.append("-H \(Self.quoted("Wallet-Environment: \(environment.rawValue)"))")
        }
        if let body = self.body {
            parts.append("-H 'Content-Type: application/json'")
            parts.append("-d \(Self.quoted(body.jsonText))")
        }
        return parts.joined(separator: " \\\n  ")
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

/// A problem that a page displays.
struct ConsoleProblem: Error, Sendable {
    let status: Int
    /// The last part of the problem's type; nil for a problem that does not come from the API.
    let slug: String?
    let title: String
    let detail: String?
    /// The number of seconds to wait before a retry; nil if no value is known.
    let retryAfter: Int?

    init(status: Int, title: String, detail: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.slug = nil
        self.title = title
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Creates a problem from the API's problem document.
    init(_ status: Int, _ body: ByteBuffer, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
        let document = try? JSONDecoder().decode(JSONValue.self, from: Data(body.readableBytesView))
        self.slug = document?["type"]?.text?.split(separator: "/").last.map(String.init)
        self.title = document?["title"]?.text ?? "The service returned status \(status)."
        let known = ["type", "title", "status", "detail", "request_id"]
        let more = (document?.members ?? [:]).filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.text ?? $0.value.jsonText)" }
        let parts = [document?["detail"]?.text, more.isEmpty ? nil : more.joined(separator: ", ")].compactMap { $0 }
        self.detail = parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

extension JSONValue {
    /// Sets a member at a path, and creates the objects on the path.
    mutating func set(_ value: JSONValue, at place: ArraySlice<String>) {
        guard let name = place.first else {
            self = value
            return
        }
        var members = self.members ?? [:]
        var inner = members[name] ?? .object([:])
        inner.set(value, at: place.dropFirst())
        members[name] = inner
        self = .object(members)
    }

    /// The value's text on a page: texts unchanged, exact numbers, members with their names, and an empty text for
    /// null.
    var shown: String {
        switch self {
        case .null: ""
        case .bool(let flag): flag ? "yes" : "no"
        case .number(let number): "\(number)"
        case .text(let text): text
        case .array(let items): items.map(\.shown).joined(separator: "; ")
        case .object(let members):
            members.filter { $0.value != .null }.sorted { $0.key < $1.key }
                .map { "\($0.key.replacing("_", with: " ")) \($0.value.shown)" }.joined(separator: ", ")
        }
    }
}

extension HTTPFields {
    /// Sets a field whose name has no constant in HTTPTypes; does nothing if the value is nil.
    mutating func set(_ name: String, _ value: String?) {
        guard let value, let name = HTTPField.Name(name) else { return }
        self[name] = value
    }

    /// Returns the value of a field whose name has no constant in HTTPTypes.
    func value(of name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
