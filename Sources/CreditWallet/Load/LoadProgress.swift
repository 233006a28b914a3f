/// Says once a second how a load stands.
struct LoadProgress {
    private let duration: Int
    private let print: @Sendable (String) -> Void
    private var seconds = 0
    private var booked = 0

    /// Begins at the first booking.
    ///
    /// - Parameters:
    ///   - duration: For how many seconds bookings are to be sent.
    ///   - print: Shows a line.
    init(duration: Int, print: @escaping @Sendable (String) -> Void) {
        self.duration = duration
        self.print = print
    }

    /// Shows what came of the second that has passed, and the latency since the start.
    mutating func second(_ tally: LoadStatistics) {
        self.seconds += 1
        let last = tally.booked - self.booked
        self.booked = tally.booked
        let lost = tally.answers.values.reduce(0, +) - tally.booked - tally.refused
        self.print(
            "\(self.seconds) of \(self.duration) s: \(last) booked in the last second, \(tally.refused) refused, "
                + "\(lost) failed, p99 \(LoadLatencies(tally.latency).p99) ms"
        )
    }
}
