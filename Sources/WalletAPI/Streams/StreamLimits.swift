/// Limits the balance streams and defines their heartbeat.
public struct StreamLimits: Sendable, Equatable {
    /// The maximum number of streams in this process.
    public var total: Int
    /// The maximum number of streams of one user.
    public var perUser: Int
    /// The silence after which a comment is sent, so that neither the client nor a proxy closes the connection as dead.
    public var heartbeat: Duration

    /// The time after which a client that receives nothing is disconnected.
    var stall: Duration { self.heartbeat * 2 }

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - total: The maximum number of streams in this process.
    ///   - perUser: The maximum number of streams of one user.
    ///   - heartbeat: The silence after which a comment is sent.
    public init(total: Int = 10_000, perUser: Int = 10, heartbeat: Duration = .seconds(15)) {
        self.total = total
        self.perUser = perUser
        self.heartbeat = heartbeat
    }
}
