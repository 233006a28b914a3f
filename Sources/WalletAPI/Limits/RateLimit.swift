/// A limit on the number of operations of one user in a time window.
public struct RateLimit: Sendable, Equatable {
    /// The number of operations allowed within the window.
    public var quota: Int
    /// The window's length in whole seconds.
    public var window: Int
    /// The least number of users that are remembered.
    ///
    /// Beyond twice this number, the users not seen for longest are dropped.
    public var trackedUsers: Int

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - quota: The number of operations allowed within the window, 1 or more.
    ///   - window: The window's length in whole seconds, 1 or more.
    ///   - trackedUsers: The least number of users that are remembered, 1 or more.
    public init(quota: Int = 10, window: Int = 60, trackedUsers: Int = 10_000) {
        self.quota = max(quota, 1)
        self.window = max(window, 1)
        self.trackedUsers = max(trackedUsers, 1)
    }
}
