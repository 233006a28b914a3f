import AsyncHTTPClient
import Foundation
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import Postgres
import TestSupport
import Testing
import Wallet

/// One block of an event stream: an event, a comment or a single field.
struct StreamedEvent: Sendable, Equatable {
    var fields: [String: String] = [:]

    var id: String? { self.fields["id"] }
    var isHeartbeat: Bool { self.fields[""] == "keep-alive" }
    var isBalance: Bool { self.fields["event"] == "balance" }

    var balance: [String: Any] {
        get throws {
            let data = Data(try #require(self.fields["data"]).utf8)
            return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        }
    }
}

/// Reads an event stream block by block.
struct EventReader {
    let response: HTTPClientResponse
    private var chunks: HTTPClientResponse.Body.AsyncIterator
    private var text = ""

    init(_ response: HTTPClientResponse) {
        self.response = response
        self.chunks = response.body.makeAsyncIterator()
    }

    /// Returns the next block, or nil at the end of the stream.
    mutating func next() async throws -> StreamedEvent? {
        while true {
            if let end = self.text.range(of: "\n\n") {
                let block = self.text[..<end.lowerBound]
                self.text = String(self.text[end.upperBound...])
                return Self.event(block)
            }
            guard let chunk = try await self.chunks.next() else { return nil }
            self.text += String(buffer: chunk)
        }
    }

    /// Returns the next balance and skips other blocks.
    mutating func nextBalance() async throws -> StreamedEvent {
        while let event = try await self.next() {
            if event.isBalance { return event }
        }
        throw EndOfStream()
    }

    /// Reads the remaining blocks.
    mutating func rest() async throws -> [StreamedEvent] {
        var events: [StreamedEvent] = []
        while let event = try await self.next() { events.append(event) }
        return events
    }

    private static func event(_ block: Substring) -> StreamedEvent {
        var event = StreamedEvent()
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            event.fields[String(parts[0])] = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
        }
        return event
    }

    private struct EndOfStream: Error {}
}

extension ServerHarness {
    /// Opens a user's stream, runs the body with it, and closes the connection.
    func stream<Value>(
        _ user: String,
        token: String? = nil,
        headers: [String: String] = [:],
        _ read: (inout EventReader) async throws -> Value
    ) async throws -> Value {
        let response = try await self.openStream(user, token: token, headers: headers)
        try #require(response.status == .ok)
        var reader = EventReader(response)
        return try await read(&reader)
    }

    /// Opens a user's stream and reads only the head of the response.
    func openStream(
        _ user: String,
        token: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> HTTPClientResponse {
        let port = try #require(self.client.port)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/balance/stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try token ?? Self.token(user))")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        return try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    }

    /// Grants credits to a user.
    func give(_ user: String, _ amount: Int) async throws {
        try await Self.sql(
            """
            SELECT wallet.account_for('\(user)');
            INSERT INTO admin.adjustments (user_id, environment, unit, amount, reference, reason, new_user)
            VALUES ('\(user)', 'production', 'credit', \(amount), '\(UUID().uuidString)', 'a test', TRUE);
            """
        )
    }
}
