import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import WalletClient

/// Sends any bytes to a server, including requests that a correct client would not send.
struct WebClient: Sendable {
    let baseURL: String

    /// Allows one connection per concurrent request; otherwise the client would queue the requests.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // The wallet closes a connection that sends nothing within HTTP_FIRST_BYTE_TIMEOUT. The client must not
        // reuse such an unused connection at that moment.
        configuration.connectionPool.idleTimeout = .seconds(3)
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    func send(
        _ method: WebMethod,
        _ path: String,
        headers: [(String, String)] = [],
        body: Data? = nil
    ) async throws -> WebAnswer {
        var request = HTTPClientRequest(url: self.baseURL + path)
        request.method = HTTPMethod(rawValue: method.rawValue)
        for header in headers { request.headers.add(name: header.0, value: header.1) }
        request.body = body.map { .bytes(ByteBuffer(data: $0)) }
        let response = try await Self.client.execute(request, timeout: .seconds(90))
        let bytes = try await response.body.collect(upTo: 16 * 1_024 * 1_024)
        return WebAnswer(status: Int(response.status.code), headers: response.headers, body: Data(buffer: bytes))
    }
}

enum WebMethod: String {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
}

/// A complete response of a server.
struct WebAnswer: Sendable {
    let status: Int
    private let headers: HTTPHeaders
    let body: Data

    init(status: Int, headers: HTTPHeaders, body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The members of a JSON object; empty for any other body.
    var json: [String: JSONValue] { (try? JSONDecoder().decode([String: JSONValue].self, from: self.body)) ?? [:] }

    /// The last part of a problem's type; nil if the response is not a problem document.
    var slug: String? {
        guard self.header("content-type") == "application/problem+json" else { return nil }
        return self.json["type"]?.stringValue?.split(separator: "/").last.map(String.init)
    }

    var retryAfter: Int? { self.header("retry-after").flatMap(Int.init) }
    var isReplayed: Bool { self.header("idempotent-replayed") == "true" }

    /// The status and the slug, for comparisons and failure messages.
    var outcome: String { "\(self.status) \(self.slug ?? "")".trimmingCharacters(in: .whitespaces) }

    /// The first value of a field.
    func header(_ name: String) -> String? { self.headers.first(name: name) }

    subscript(path: String...) -> JSONValue? {
        path.dropFirst().reduce(path.first.flatMap { self.json[$0] }) { value, name in value?[name] }
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var items: [JSONValue] {
        if case .array(let items) = self { items } else { [] }
    }
}
