import Dispatch
import Foundation
import Synchronization

/// A job for a connection's thread; exactly one of its two closures is called, once.
struct Job: Sendable {
    let run: @Sendable (LibpqConnection) -> Void
    let fail: @Sendable (PostgresError) -> Void
}

/// The queue of jobs for a connection's thread, with a pipe that wakes the thread.
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

    /// The descriptor that the thread polls together with its socket.
    var wakeDescriptor: Int32 { self.readEnd }

    /// The reason why the queue accepts no jobs; `nil` while it does.
    var closedError: PostgresError? { self.state.withLock { $0.closed } }

    func post(_ job: Job) {
        let closed = self.state.withLock { state in
            if state.closed == nil { state.jobs.append(job) }
            return state.closed
        }
        guard let closed else { return self.wake() }
        job.fail(closed.unsent)
    }

    /// Removes and returns the waiting jobs, in order.
    func take() -> [Job] {
        var byte: [UInt8] = Array(repeating: 0, count: 64)
        _ = read(self.readEnd, &byte, byte.count)
        return self.state.withLock { state in
            defer { state.jobs.removeAll() }
            return state.jobs
        }
    }

    /// Refuses all waiting and all further jobs; if the queue is closed already, the first reason stays.
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

/// Runs tasks on a connection's thread, between its statements.
extension JobQueue: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.post(
            Job(
                run: { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) },
                // After the connection has ended, the task continues on a global queue.
                fail: { _ in
                    DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
                }
            )
        )
    }
}
