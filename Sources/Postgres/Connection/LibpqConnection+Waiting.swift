import CLibpq
import Foundation

extension LibpqConnection {
    /// Sends the data that libpq still buffers; it also reads, so that client and server do not wait for each other.
    func flush(_ deadline: Deadline) throws(PostgresError) {
        while true {
            switch PQflush(self.raw) {
            case 0: return
            case 1: try self.wait(for: Int16(POLLIN | POLLOUT), deadline)
            default: throw self.broken()
            }
        }
    }

    /// Waits until libpq has a complete result.
    func awaitResult(_ deadline: Deadline) throws(PostgresError) {
        while PQisBusy(self.raw) == 1 {
            try self.wait(for: Int16(POLLIN), deadline)
        }
    }

    /// Returns whether the server's end of the socket is still open, as far as this end can detect.
    func isAlive() -> Bool {
        guard self.failure == nil else { return false }
        var watched = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        while self.failure == nil, poll(&watched, 1, 0) > 0 { self.readIdle() }
        return self.failure == nil
    }

    private func wait(for events: Int16, _ deadline: Deadline) throws(PostgresError) {
        var watched = pollfd(fd: self.descriptor, events: events, revents: 0)
        // With TLS, the library may buffer data while the socket is silent, so poll again after 20 ms.
        let left = deadline.pollTimeout
        let isEncrypted = PQsslInUse(self.raw) == 1 || PQgssEncInUse(self.raw) == 1
        let ready = poll(&watched, 1, isEncrypted && (left < 0 || left > 20) ? 20 : left)
        if ready < 0, errno != EINTR { throw self.broken() }
        let mayRead = ready > 0 ? Int32(watched.revents) & ~POLLOUT != 0 : isEncrypted
        if mayRead, PQconsumeInput(self.raw) == 0 { throw self.broken() }
        if deadline.hasPassed, PQisBusy(self.raw) == 1 { throw self.giveUp() }
    }

    /// Gives the connection up at the deadline, without a cancel.
    ///
    /// The server may be waiting for a standby to confirm the commit. A cancel would end that wait but not the
    /// transaction, so all sessions would see a commit that a failover can lose. The session keeps its locks until the
    /// server has finished.
    private func giveUp() -> PostgresError {
        var error = PostgresError(.unavailable, "the database did not respond in time")
        error.isGivenUp = true
        self.abandon(error)
        return error
    }

    /// Waits until the server has finished a statement whose caller no longer waits for it, or until the connection is
    /// lost.
    ///
    /// The server does not run a statement that was sent only in part, so there is nothing to wait for in that case.
    func awaitEnd() {
        guard PQflush(self.raw) == 0 else { return }
        do throws(PostgresError) {
            repeat {
                try self.awaitResult(Deadline(after: nil))
            } while self.dropResult()
        } catch {
            return
        }
    }

    /// Drops a result; returns false if there is none, which means that the server has finished.
    private func dropResult() -> Bool {
        guard let result = PQgetResult(self.raw) else { return false }
        PQclear(result)
        return true
    }

    private func broken() -> PostgresError {
        let error = self.lost()
        self.abandon(error)
        return error
    }
}

/// The time by which an operation must have finished, or no limit.
struct Deadline {
    private(set) var instant: ContinuousClock.Instant?

    init(after duration: Duration?) {
        self.instant = duration.map { ContinuousClock.now.advanced(by: $0) }
    }

    /// The timeout for `poll`: the milliseconds left, 0 after the deadline, or -1 for no limit.
    var pollTimeout: Int32 {
        guard let instant = self.instant else { return -1 }
        let left = (instant - ContinuousClock.now).milliseconds
        return left <= 0 ? 0 : Int32(clamping: left)
    }

    var hasPassed: Bool { self.instant.map { $0 <= ContinuousClock.now } ?? false }
}

extension Duration {
    /// The duration in whole milliseconds, rounded up so that a short wait is not a busy loop.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? .max / 2 : product + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
