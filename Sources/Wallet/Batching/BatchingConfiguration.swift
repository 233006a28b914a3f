/// The limits for deciding waiting bookings and cancellations in batches.
public struct BatchingConfiguration: Sendable {
    /// The maximum number of items in a batch (`BOOKING_BATCH_LIMIT`).
    public var batchLimit: Int
    /// The maximum number of concurrent batches (`BOOKING_WORKERS`); more workers make smaller batches.
    public var workers: Int
    /// The maximum number of waiting items; further items are refused at once (`BOOKING_QUEUE_LIMIT`).
    public var queueLimit: Int
    /// The maximum time that an item waits for its batch to start (`BOOKING_QUEUE_PATIENCE`, in seconds).
    public var patience: Duration

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - batchLimit: The maximum number of items in a batch.
    ///   - workers: The maximum number of concurrent batches.
    ///   - queueLimit: The maximum number of waiting items.
    ///   - patience: The maximum time that an item waits for its batch to start.
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
    /// The limits for deciding the stores' facts and messages in batches.
    ///
    /// Applying one is heavy, so two batches may run at the same time, and a batch is small. PostgreSQL caches up to 64
    /// subtransactions of a transaction, and each item needs two of them.
    public static let facts = BatchingConfiguration(batchLimit: 24, workers: 2)
}
