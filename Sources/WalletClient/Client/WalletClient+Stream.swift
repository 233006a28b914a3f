import Foundation

extension WalletClient {
    /// Returns what the wallet holds, now and whenever it changes.
    ///
    /// Lost connections are taken up again for as long as the sequence is read, and with each the token provider is
    /// asked again; only the newest balance waits for a slow reader. A connection reads the wallet that was in use
    /// when it was opened (``environment``).
    /// - Returns: the balances; the sequence throws ``WalletProblem`` for what does not pass by waiting, such as 401,
    ///   and what the token provider throws.
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

    /// Reads one stream after the other.
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
                // The stream is ahead of every standby.
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
