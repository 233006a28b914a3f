import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import WalletAPI

/// A response with its JSON.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    init(_ response: TestResponse) {
        self.status = response.status.code
        self.headers = response.headers
        self.text = String(buffer: response.body)
    }

    /// The members of the JSON body.
    var json: [String: Any] {
        get throws {
            let object = try JSONSerialization.jsonObject(with: Data(self.text.utf8))
            return try #require(object as? [String: Any])
        }
    }

    /// The problem's slug, if the response is a valid problem document.
    var problem: String? {
        guard
            self.headers[.contentType] == "application/problem+json", let json = try? self.json,
            json["status"] as? Int == self.status, json["title"] is String,
            json["request_id"] as? String == self.headers[.requestID]
        else { return nil }
        return (json["type"] as? String)?.split(separator: "/").last.map(String.init)
    }
}

extension ServerHarness {
    /// Sends a request as a user, as an operator or without a token.
    func send(
        _ method: HTTPRequest.Method,
        _ uri: String,
        as user: String? = nil,
        token: String? = nil,
        headers: [String: String] = [:],
        body: String? = nil
    ) async throws -> Answer {
        var fields: HTTPFields = [:]
        if let user { fields[.authorization] = "Bearer \(try Self.token(user))" }
        if let token { fields[.authorization] = "Bearer \(token)" }
        if body != nil { fields[.contentType] = "application/json" }
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let buffer = body.map { ByteBuffer(string: $0) }
        return Answer(try await self.client.execute(uri: uri, method: method, headers: fields, body: buffer))
    }
    /// Sends JSON as a user or an operator.
    func send(
        _ method: HTTPRequest.Method,
        _ uri: String,
        as user: String? = nil,
        token: String? = nil,
        headers: [String: String] = [:],
        json: [String: any Sendable]
    ) async throws -> Answer {
        let body = String(decoding: try JSONSerialization.data(withJSONObject: json), as: UTF8.self)
        return try await self.send(method, uri, as: user, token: token, headers: headers, body: body)
    }

    /// Returns the user's credits.
    func credits(of user: String) async throws -> Int? {
        try await self.send(.get, "/balance", as: user).json["credits"] as? Int
    }
}
