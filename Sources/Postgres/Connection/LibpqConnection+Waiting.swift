import CLibpq
import Foundation

extension LibpqConnection {
    /// Sends what libpq still holds back, reading meanwhile so that neither side waits for the other.
    func flush(_ deadline: Deadline) throws(PostgresError) {
        while true {
            switch PQflush(self.raw) {
            case 0: return
            case 1: try self.wait(for: Int16(POLLIN | POLLOUT), deadline)
            default: throw self.broken()
            }
        }
    }

    /// Waits until libpq has a whole result.
    func awaitResult(_ deadline: Deadline) throws(PostgresError) {
        while PQisBusy(self.raw) == 1 {
            try self.wait(for: Int16(POLLIN), deadline)
        }
    }

    /// Whether the server's end of the socket is still open as far as this end knows.
    func isAlive() -> Bool {
        guard self.failure == nil else { return false }
        var watched = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        while self.failure == nil, poll(&watched, 1, 0) > 0 { self.readIdle() }
        return self.failure == nil
    }

    private func wait(for events: Int16, _ deadline: Deadline) throws(PostgresError) {
        var watched = pollfd(fd: self.descriptor, events: events, revents: 0)
        // With TLS, bytes may wait inside the library while the socket is silent: look again soon.
        let left = deadline.pollTimeout
        let isEncrypted = PQsslInUse(self.raw) == 1 || PQgssEncInUse(self.raw) == 1
        let ready = poll(&watched, 1, isEncrypted && (left < 0 || left > 20) ? 20 : left)
        if ready < 0, errno != EINTR { throw self.broken() }
        let mayRead = ready > 0 ? Int32(watched.revents) & ~POLLOUT != 0 : isEncrypted
        if mayRead, PQconsumeInput(self.raw) == 0 { throw self.broken() }
        if deadline.hasPassed, PQisBusy(self.raw) == 1 { throw self.giveUp() }
    }

    /// Gives the link up at the deadline, without a cancel.
    ///
    /// The server may be waiting for a standby to confirm the commit. A cancel would end that wait and not the
    /// transaction, so that everybody would see a commit that a failover can lose. What the session holds stays held
    /// until the server is done.
    private func giveUp() -> PostgresError {
        var error = PostgresError(.unavailable, "the database did not answer in time")
        error.isGivenUp = true
        self.abandon(error)
        return error
    }

    /// Waits until the server is done with a statement that its caller no longer waits for, or the connection is lost.
    ///
    /// A statement that was not sent as a whole is not run, so there is nothing to wait for.
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

    /// Drops a result; returns false when there was none, which is when the server is done.
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
