/// How bookings and cancellations that wait together are decided together.
public struct BatchingConfiguration: Sendable {
    /// How many items one batch holds at most (`BOOKING_BATCH_LIMIT`).
    public var batchLimit: Int
    /// How many batches may be under way at a time (`BOOKING_WORKERS`); more of them make smaller batches.
    public var workers: Int
    /// How many items may wait; one more is refused at once (`BOOKING_QUEUE_LIMIT`).
    public var queueLimit: Int
    /// How long an item waits for its batch to start (`BOOKING_QUEUE_PATIENCE`, in seconds).
    public var patience: Duration

    /// Configures batching.
    ///
    /// - Parameters:
    ///   - batchLimit: How many items one batch holds at most.
    ///   - workers: How many batches may be under way at a time.
    ///   - queueLimit: How many items may wait.
    ///   - patience: How long an item waits for its batch to start.
    public init(
        batchLimit: Int = 32,
        workers: Int = 1,
        queueLimit: Int = 4_096,
        patience: Duration = .seconds(5)
    ) {
        self.batchLimit = batchLimit
        self.workers = workers
        self.queueLimit = queueLimit
        self.patience = patience
    }
}

extension BatchingConfiguration {
    /// How facts and messages of the stores are taken in batches.
    ///
    /// Applying one is heavy, so two batches may be under way, and a batch is small: PostgreSQL keeps up to 64 parts of a
    /// transaction at hand, and an item makes two of them.
    public static let facts = BatchingConfiguration(batchLimit: 24, workers: 2)
}
