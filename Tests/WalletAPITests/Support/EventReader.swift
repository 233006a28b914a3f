import AsyncHTTPClient
import Foundation
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import Postgres
import TestSupport
import Testing
import Wallet

/// One block of an event stream: an event, a comment or a field by itself.
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

    /// The next block; nil at the end of the stream.
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

    /// The next balance, whatever else comes before it.
    mutating func nextBalance() async throws -> StreamedEvent {
        while let event = try await self.next() {
            if event.isBalance { return event }
        }
        throw EndOfStream()
    }

    /// Reads to the end.
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
    /// Opens a user's stream, lets a test read it, and hangs up.
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

    /// Asks for a user's stream and reads the head of the answer alone.
    func openStream(
        _ user: String,
        token: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> HTTPClientResponse {
        let port = try #require(self.client.port)
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/balance/stream")
        request.headers.add(name: "Authorization", value: "Bearer \(try token ?? Self.token(user))")
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        return try await HTTPClient.shared.execute(request, timeout: .seconds(10))
    }

    /// Gives a user credits without a notification.
    func give(_ user: String, _ amount: Int, reference: String = UUID().uuidString) async throws {
        try await Self.sql(
            """
            SELECT wallet.account_for('\(user)');
            INSERT INTO admin.adjustments (user_id, environment, unit, amount, reference, reason, new_user)
            VALUES ('\(user)', 'production', 'credit', \(amount), '\(reference)', 'a test', TRUE);
            """
        )
    }

    /// Does what the worker does twice a second, until everything is notified: transactions that run anywhere on the
    /// server, such as those of other tests, hold back what is newer.
    func notify() async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        let untold: Query = """
            SELECT FROM wallet.outbox AS o, wallet.notice_cursor AS c WHERE (o.xid, o.event_id) > (c.xid, c.event_id)
            """
        while try await !connection.query(untold).isEmpty {
            if try await self.wallet.notifyChanges(limit: 1_000) == 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
    }
}
