/// A limit on how often one user may do something.
public struct RateLimit: Sendable, Equatable {
    /// How often within the window.
    public var quota: Int
    /// The window's length in whole seconds.
    public var window: Int
    /// How many users are remembered at least; beyond twice that the longest unseen are forgotten.
    public var trackedUsers: Int

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - quota: How often within the window, 1 or more.
    ///   - window: The window's length in whole seconds, 1 or more.
    ///   - trackedUsers: How many users are remembered at least.
    public init(quota: Int = 10, window: Int = 60, trackedUsers: Int = 10_000) {
        self.quota = max(quota, 1)
        self.window = max(window, 1)
        self.trackedUsers = max(trackedUsers, 1)
    }
}
