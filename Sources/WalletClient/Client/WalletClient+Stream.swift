import Foundation

extension WalletClient {
    /// Returns the current balance and then each change of it.
    ///
    /// The client reconnects after a lost connection for as long as the sequence is read, and requests a token from the
    /// provider for each connection. A slow reader receives only the newest balance. A connection reads the wallet that
    /// was selected when it was opened (``environment``).
    /// - Returns: The balances. The sequence throws ``WalletProblem`` for refusals that waiting does not resolve, such
    ///   as 401, and the errors of the token provider.
    public nonisolated func balances() -> AsyncThrowingStream<Balance, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let reading = Task {
                do {
                    try await self.follow { continuation.yield($0) }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in reading.cancel() }
        }
    }

    /// Opens one stream after the other.
    private nonisolated func follow(_ deliver: (Balance) -> Void) async throws {
        var lastID: String?
        var failures = 0
        while true {
            var retryAfter: Int?
            do {
                try await self.readStream(after: &lastID, opened: { failures = 0 }, deliver)
            } catch let problem as WalletProblem {
                guard [429, 502, 503, 504].contains(problem.status) else { throw problem }
                retryAfter = problem.retryAfter
            } catch let error as WalletClientError {
                guard error.code == .unreachable else { throw error }
            }
            try await Task.sleep(for: self.retryPolicy.pause(failures, retryAfter: retryAfter))
            failures += 1
        }
    }

    private nonisolated func readStream(
        after lastID: inout String?,
        opened: () -> Void,
        _ deliver: (Balance) -> Void
    ) async throws {
        var parser = EventParser()
        var newestID = lastID
        defer { lastID = newestID }
        let call = WalletCall(path: ["balance", "stream"], isStream: true, lastEventID: lastID)
        try await self.stream(call) { bytes in
            opened()
            for event in parser.read(bytes) where event.name == "balance" {
                // The stream can be newer than every standby.
                self.position.forget()
                do {
                    deliver(try Self.decoder.decode(Balance.self, from: Data(event.data.utf8)))
                } catch {
                    throw WalletClientError(.unreadableAnswer, underlyingError: error)
                }
                newestID = event.id
            }
        }
    }
}

/// Parses server-sent events from bytes as they arrive.
struct EventParser {
    /// One event.
    struct Event: Equatable {
        /// The last id that the stream has sent.
        var id: String?
        /// The event's name; `message` if the stream sends none.
        var name = "message"
        /// The data lines, joined by line breaks.
        var data: String
    }

    private var line: [UInt8] = []
    private var id: String?
    private var name: String?
    private var data: [String] = []

    /// Parses the next bytes and returns the events that they complete.
    mutating func read(_ bytes: Data) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                self.line.append(byte)
                continue
            }
            if self.line.last == UInt8(ascii: "\r") { self.line.removeLast() }
            if let event = self.take(String(decoding: self.line, as: UTF8.self)) { events.append(event) }
            self.line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func take(_ line: String) -> Event? {
        guard !line.isEmpty else { return self.finish() }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count == 2 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        switch parts[0] {
        case "id": self.id = String(value)
        case "event": self.name = String(value)
        case "data": self.data.append(String(value))
        default: break  // Ignores comments, the retry field and unknown fields.
        }
        return nil
    }

    private mutating func finish() -> Event? {
        defer {
            self.name = nil
            self.data = []
        }
        guard !self.data.isEmpty else { return nil }
        return Event(id: self.id, name: self.name ?? "message", data: self.data.joined(separator: "\n"))
    }
}
