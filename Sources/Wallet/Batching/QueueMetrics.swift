import Metrics

/// The metrics of the booking queue: the size of batches, and the time that items wait for their batch to start.
struct QueueMetrics: Sendable {
    private let batchSize = Recorder(label: "wallet_booking_batch_size")
    private let wait = Timer(label: "wallet_booking_queue_wait_seconds")

    /// Records the start of a batch.
    ///
    /// - Parameters:
    ///   - arrivals: The arrival time of each item.
    ///   - instant: The start of the batch.
    func note(_ arrivals: some Collection<ContinuousClock.Instant>, at instant: ContinuousClock.Instant) {
        self.batchSize.record(arrivals.count)
        for arrival in arrivals { self.wait.record(duration: arrival.duration(to: instant)) }
    }
}
