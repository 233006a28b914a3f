/// Limits the streams of balances, and says how they are kept alive.
public struct StreamLimits: Sendable, Equatable {
    /// How many streams this process serves at most.
    public var total: Int
    /// How many streams one user has at most.
    public var perUser: Int
    /// After how much silence a comment is sent, so that neither end nor a proxy takes the connection for dead.
    public var heartbeat: Duration

    /// After how long a client that takes nothing is cut off.
    var stall: Duration { self.heartbeat * 2 }

    /// Limits streams.
    ///
    /// - Parameters:
    ///   - total: How many this process serves at most.
    ///   - perUser: How many one user has at most.
    ///   - heartbeat: After how much silence a comment is sent.
    public init(total: Int = 10_000, perUser: Int = 10, heartbeat: Duration = .seconds(15)) {
        self.total = total
        self.perUser = perUser
        self.heartbeat = heartbeat
    }
}
