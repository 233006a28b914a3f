import Metrics

/// What the booking queue measures: how large its batches are, and how long items wait for theirs to start.
struct QueueMetrics: Sendable {
    private let batchSize = Recorder(label: "wallet_booking_batch_size")
    private let wait = Timer(label: "wallet_booking_queue_wait_seconds")

    /// Notes a batch that starts.
    ///
    /// - Parameters:
    ///   - arrivals: When each of its items arrived.
    ///   - instant: When it starts.
    func note(_ arrivals: some Collection<ContinuousClock.Instant>, at instant: ContinuousClock.Instant) {
        self.batchSize.record(arrivals.count)
        for arrival in arrivals { self.wait.record(duration: arrival.duration(to: instant)) }
    }
}
