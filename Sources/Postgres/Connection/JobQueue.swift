import Foundation
import Synchronization

/// A piece of work for a connection's thread: exactly one of the two is called, once.
struct Job: Sendable {
    let run: @Sendable (LibpqConnection) -> Void
    let fail: @Sendable (PostgresError) -> Void
}

/// Where tasks leave work for a connection's thread, with a pipe that wakes it.
final class JobQueue: Sendable {
    private struct State {
        var jobs: [Job] = []
        var closed: PostgresError?
    }

    private let state = Mutex(State())
    private let readEnd: Int32
    private let writeEnd: Int32

    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PostgresError(.unavailable, "no file descriptor is free") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        self.readEnd = ends[0]
        self.writeEnd = ends[1]
    }

    deinit {
        _ = Foundation.close(self.readEnd)
        _ = Foundation.close(self.writeEnd)
    }

    /// What the thread polls beside its socket.
    var wakeDescriptor: Int32 { self.readEnd }

    /// Why no more work is taken; `nil` while it is.
    var closedError: PostgresError? { self.state.withLock { $0.closed } }

    func post(_ job: Job) {
        let closed = self.state.withLock { state in
            if state.closed == nil { state.jobs.append(job) }
            return state.closed
        }
        guard let closed else { return self.wake() }
        job.fail(closed.unsent)
    }

    /// Takes the work that waits, in order.
    func take() -> [Job] {
        var byte: [UInt8] = Array(repeating: 0, count: 64)
        _ = read(self.readEnd, &byte, byte.count)
        return self.state.withLock { state in
            defer { state.jobs.removeAll() }
            return state.jobs
        }
    }

    /// Refuses all further work and what nobody took; the first reason given stays.
    func close(_ reason: PostgresError) {
        let dropped = self.state.withLock { state in
            guard state.closed == nil else { return [Job]() }
            state.closed = reason
            defer { state.jobs.removeAll() }
            return state.jobs
        }
        for job in dropped { job.fail(reason.unsent) }
        self.wake()
    }

    private func wake() {
        // A full pipe means that the thread is about to wake anyway.
        _ = write(self.writeEnd, [1], 1)
    }
}
