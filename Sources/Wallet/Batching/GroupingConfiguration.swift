/// How bookings and cancellations that wait together are decided together.
public struct GroupingConfiguration: Sendable {
    /// How many items one group holds at most (`BOOKING_GROUP_LIMIT`).
    public var groupLimit: Int
    /// How many groups may be under way at a time (`BOOKING_WORKERS`); more of them make smaller groups.
    public var workers: Int
    /// How many items may wait; one more is refused at once (`BOOKING_QUEUE_LIMIT`).
    public var queueLimit: Int
    /// How long an item waits for its group to start (`BOOKING_QUEUE_PATIENCE`, in seconds).
    public var patience: Duration

    /// Configures grouping.
    ///
    /// - Parameters:
    ///   - groupLimit: How many items one group holds at most.
    ///   - workers: How many groups may be under way at a time.
    ///   - queueLimit: How many items may wait.
    ///   - patience: How long an item waits for its group to start.
    public init(
        groupLimit: Int = 32,
        workers: Int = 1,
        queueLimit: Int = 4_096,
        patience: Duration = .seconds(5)
    ) {
        self.groupLimit = groupLimit
        self.workers = workers
        self.queueLimit = queueLimit
        self.patience = patience
    }
}

extension GroupingConfiguration {
    /// How facts and messages of the stores are taken in groups.
    ///
    /// Applying one is heavy, so two groups may be under way, and a group is small: PostgreSQL keeps up to 64 parts of a
    /// transaction at hand, and an item makes two of them.
    public static let facts = GroupingConfiguration(groupLimit: 24, workers: 2)
}
