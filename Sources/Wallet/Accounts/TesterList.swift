import Synchronization

/// A short-lived cache of the users who act on sandbox wallets, because every request needs the list.
final class TesterList: Sendable {
    private struct State {
        var users: Set<UserID> = []
        var readAt: ContinuousClock.Instant?
    }

    /// The lifetime of the cached list; an administrator's change takes effect after this time at the latest.
    private static let lifetime: Duration = .seconds(1)

    private let state = Mutex(State())

    /// Returns whether a user is listed.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - read: Reads the list.
    /// - Returns: A Boolean value that indicates whether the user is listed.
    /// - Throws: Any error that `read` throws.
    func contains(_ user: UserID, _ read: () async throws -> [UserID]) async throws -> Bool {
        let known: Bool? = self.state.withLock { state in
            guard let readAt = state.readAt, readAt.duration(to: .now) < Self.lifetime else { return nil }
            return state.users.contains(user)
        }
        if let known { return known }
        // Several tasks may read at the same time; the read that started last wins.
        let start = ContinuousClock.now
        let users = Set(try await read())
        self.state.withLock { state in
            if state.readAt.map({ $0 < start }) ?? true { state = State(users: users, readAt: start) }
        }
        return users.contains(user)
    }
}
