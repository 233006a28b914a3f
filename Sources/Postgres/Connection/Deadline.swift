/// The time by which an operation must have finished, or no limit.
struct Deadline {
    private(set) var instant: ContinuousClock.Instant?

    init(after duration: Duration?) {
        self.instant = duration.map { ContinuousClock.now.advanced(by: $0) }
    }

    /// The timeout for `poll`: the milliseconds left, 0 after the deadline, or -1 for no limit.
    var pollTimeout: Int32 {
        guard let instant = self.instant else { return -1 }
        let left = (instant - ContinuousClock.now).milliseconds
        return left <= 0 ? 0 : Int32(clamping: left)
    }

    var hasPassed: Bool { self.instant.map { $0 <= ContinuousClock.now } ?? false }
}
