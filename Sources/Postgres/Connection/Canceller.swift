import CLibpq
import Foundation
import Synchronization

/// Sends cancel requests, each on a thread of its own since libpq's call has no timeout.
enum Canceller {
    private static let running = Mutex(0)
    /// Beyond this many that hang, the server is not listening: `statement_timeout` must end the statement.
    private static let limit = 8

    /// Asks the server to stop what a session is doing; nothing is reported back.
    static func cancel(_ connection: OpaquePointer) {
        guard Self.begin(), let raw = PQgetCancel(connection) else { return }
        let request = Request(raw: raw)
        Thread.detachNewThread {
            var reason: [CChar] = Array(repeating: 0, count: 256)
            // A failed cancel needs no report: the caller gives the connection up either way.
            _ = PQcancel(request.raw, &reason, Int32(reason.count))
            PQfreeCancel(request.raw)
            Self.running.withLock { $0 -= 1 }
        }
    }

    private static func begin() -> Bool {
        Self.running.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
    }

    /// A copy of what a cancel needs, made by libpq to be used from another thread.
    private struct Request: @unchecked Sendable {
        let raw: OpaquePointer
    }
}
