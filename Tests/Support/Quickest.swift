/// Runs work several times, and returns how long the quickest run took.
///
/// A busy machine may be slow once. Work that waits is slow each time.
///
/// - Parameters:
///   - times: How often the work runs at most.
///   - bound: The duration that a run must not reach; the first quicker run is the last one. Without it, all runs are
///     made.
///   - work: The work.
/// - Returns: The duration of the quickest run.
/// - Throws: What the work throws.
public func quickest(
    of times: Int = 5,
    within bound: Duration? = nil,
    _ work: () async throws -> Void
) async throws -> Duration {
    var quickest = Duration.seconds(Int64.max)
    for _ in 0..<times where quickest >= bound ?? .zero {
        let began = ContinuousClock.now
        try await work()
        quickest = min(quickest, ContinuousClock.now - began)
    }
    return quickest
}
