import Synchronization

/// The users who act on sandbox wallets, as they were read a moment ago: every request asks, and few are listed.
final class TesterList: Sendable {
    private struct State {
        var users: Set<UserID> = []
        var readAt: ContinuousClock.Instant?
    }

    /// How long what was read is good; an administrator's change counts after that at the latest.
    private static let lifetime: Duration = .seconds(1)

    private let state = Mutex(State())

    /// Returns whether a user is listed.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - read: Reads the list.
    /// - Returns: Whether the user is listed.
    /// - Throws: What `read` throws.
    func contains(_ user: UserID, _ read: () async throws -> [UserID]) async throws -> Bool {
        let known: Bool? = self.state.withLock { state in
            guard let readAt = state.readAt, readAt.duration(to: .now) < Self.lifetime else { return nil }
            return state.users.contains(user)
        }
        if let known { return known }
        // Several may read at the same time; each stores what it saw.
        let start = ContinuousClock.now
        let users = Set(try await read())
        self.state.withLock { state in
            if state.readAt.map({ $0 < start }) ?? true { state = State(users: users, readAt: start) }
        }
        return users.contains(user)
    }
}
