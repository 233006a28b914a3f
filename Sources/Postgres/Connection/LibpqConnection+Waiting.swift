import CLibpq
import Foundation

/// How long a statement is waited for: until its deadline, then for a while after a cancel.
struct Patience {
    private(set) var deadline: Deadline
    private(set) var hasCancelled = false

    init(_ timeout: Duration?) {
        self.deadline = Deadline(after: timeout)
    }

    mutating func extend(by grace: Duration) {
        self.hasCancelled = true
        self.deadline = Deadline(after: grace)
    }
}

extension LibpqConnection {
    /// Sends what libpq still holds back, reading meanwhile so that neither side waits for the other.
    func flush(_ patience: inout Patience) throws(PostgresError) {
        while true {
            switch PQflush(self.raw) {
            case 0: return
            case 1: try self.wait(for: Int16(POLLIN | POLLOUT), &patience)
            default: throw self.broken()
            }
        }
    }

    /// Waits until libpq has a whole result.
    func awaitResult(_ patience: inout Patience) throws(PostgresError) {
        while PQisBusy(self.raw) == 1 {
            try self.wait(for: Int16(POLLIN), &patience)
        }
    }

    /// Whether the server's end of the socket is still open as far as this end knows.
    func isAlive() -> Bool {
        guard self.failure == nil else { return false }
        var watched = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        while self.failure == nil, poll(&watched, 1, 0) > 0 { self.readIdle() }
        return self.failure == nil
    }

    private func wait(for events: Int16, _ patience: inout Patience) throws(PostgresError) {
        var watched = pollfd(fd: self.descriptor, events: events, revents: 0)
        // With TLS, bytes may wait inside the library while the socket is silent: look again soon.
        let left = patience.deadline.pollTimeout
        let isEncrypted = PQsslInUse(self.raw) == 1 || PQgssEncInUse(self.raw) == 1
        let ready = poll(&watched, 1, isEncrypted && (left < 0 || left > 20) ? 20 : left)
        if ready < 0, errno != EINTR { throw self.broken() }
        let mayRead = ready > 0 ? Int32(watched.revents) & ~POLLOUT != 0 : isEncrypted
        if mayRead, PQconsumeInput(self.raw) == 0 { throw self.broken() }
        if patience.deadline.hasPassed, PQisBusy(self.raw) == 1 { try self.runOut(&patience) }
    }

    /// Cancels at the deadline; gives up when that brings no answer either.
    private func runOut(_ patience: inout Patience) throws(PostgresError) {
        guard !patience.hasCancelled else {
            let error = PostgresError(.unavailable, "the database did not answer in time")
            self.abandon(error)
            throw error
        }
        // A cancel that arrives late would hit whatever runs then, so this link runs nothing more.
        self.abandon(PostgresError(.unavailable, "the connection was given up after a statement ran out of time"))
        Canceller.cancel(self.raw)
        patience.extend(by: self.configuration.cancelGrace)
    }

    private func broken() -> PostgresError {
        let error = self.lost()
        self.abandon(error)
        return error
    }
}
