import CLibpq
import Foundation
import Synchronization

/// The thread that watches the sockets and deadlines of all sessions.
///
/// The thread reads no socket: it resumes the task that waits for the socket. As a task executor, it also runs the
/// tasks of pinned connections, which then wait for their statements without a second thread.
final class Reactor: Sendable {
    private struct State {
        var sessions: [Int32: Session] = [:]
        var jobs: [UnownedJob] = []
        /// No session has an earlier deadline than this one.
        var nextDeadline: ContinuousClock.Instant?
        var isAsleep = false
    }

    private static let started = Mutex<Reactor?>(nil)
    /// One event for input, or for the end of the connection.
    private static let input = EPOLLIN.rawValue | EPOLLONESHOT.rawValue

    private let state = Mutex(State())
    private let epoll: Int32
    private let alarm: Int32

    private init() throws(PostgresError) {
        self.epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        self.alarm = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        // Edge-triggered, so that nothing has to be read to clear it.
        let isWatched = self.control(EPOLL_CTL_ADD, self.alarm, EPOLLIN.rawValue | EPOLLET.rawValue)
        guard self.epoll >= 0, self.alarm >= 0, isWatched else {
            for descriptor in [self.epoll, self.alarm] where descriptor >= 0 { close(descriptor) }
            throw PostgresError(.unavailable, "no file descriptor is free")
        }
    }

    /// Returns the reactor of the process, and starts its thread before the first use.
    static func shared() throws(PostgresError) -> Reactor {
        try Self.started.withLock { started throws(PostgresError) in
            if let started { return started }
            let reactor = try Reactor()
            started = reactor
            Thread.detachNewThread { reactor.run() }
            return reactor
        }
    }

    /// Starts to watch a session's socket; reports the first event.
    func add(_ session: Session) throws(PostgresError) {
        self.state.withLock { $0.sessions[session.descriptor] = session }
        guard !self.control(EPOLL_CTL_ADD, session.descriptor, Self.input) else { return }
        self.remove(session)
        throw PostgresError(.unavailable, "the kernel cannot watch another socket")
    }

    /// Reports one more event of a session's socket, at once if there is input already.
    func watch(_ session: Session, forOutput: Bool) {
        _ = self.control(EPOLL_CTL_MOD, session.descriptor, Self.input | (forOutput ? EPOLLOUT.rawValue : 0))
    }

    /// Stops to watch a session's socket; the socket must still be open.
    func remove(_ session: Session) {
        _ = self.control(EPOLL_CTL_DEL, session.descriptor, 0)
        self.state.withLock { $0.sessions[session.descriptor] = nil }
    }

    /// Registers the deadline of a session.
    ///
    /// Wakes the thread only if no other session had an earlier deadline. Deadlines of statements that have ended stay
    /// registered, so a busy reactor is hardly ever woken for a new one.
    func register(_ deadline: ContinuousClock.Instant) {
        self.change { state in
            if let next = state.nextDeadline, next <= deadline { return false }
            state.nextDeadline = deadline
            return true
        }
    }

    private func run() {
        Thread.current.name = "postgres"
        var events = Array(repeating: epoll_event(), count: 64)
        while true {
            let timeout = self.state.withLock { state in
                state.isAsleep = true
                return state.jobs.isEmpty ? Deadline(instant: state.nextDeadline).timeout : 0
            }
            let count = epoll_wait(self.epoll, &events, Int32(events.count), timeout)
            let ready = self.state.withLock { state in
                state.isAsleep = false
                return events.prefix(Int(max(0, count))).compactMap { state.sessions[$0.data.fd] }
            }
            for session in ready { session.noteEvent() }
            self.runJobs()
            self.expireDeadlines()
        }
    }

    private func runJobs() {
        let jobs = self.state.withLock { state in
            defer { state.jobs.removeAll(keepingCapacity: true) }
            return state.jobs
        }
        for job in jobs { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private func expireDeadlines() {
        let now = ContinuousClock.now
        let sessions = self.state.withLock { state in
            guard let next = state.nextDeadline, next <= now else { return [Session]() }
            state.nextDeadline = nil
            return Array(state.sessions.values)
        }
        for session in sessions {
            if let deadline = session.expire(now) { self.register(deadline) }
        }
    }

    /// Changes the state, and wakes the thread if the change requires it.
    private func change(_ change: (inout State) -> Bool) {
        let wakes = self.state.withLock { state in
            guard change(&state), state.isAsleep else { return false }
            state.isAsleep = false
            return true
        }
        if wakes { _ = eventfd_write(self.alarm, 1) }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        return epoll_ctl(self.epoll, operation, descriptor, &event) == 0
    }
}

extension Reactor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.change { state in
            state.jobs.append(job)
            return true
        }
    }
}

/// The time by which an operation must have finished, or no limit.
struct Deadline {
    let instant: ContinuousClock.Instant?

    /// The timeout for `epoll_wait`: the milliseconds left, 0 after the deadline, or -1 for no limit.
    var timeout: Int32 {
        guard let instant = self.instant else { return -1 }
        return Int32(clamping: max(0, (instant - ContinuousClock.now).milliseconds))
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
