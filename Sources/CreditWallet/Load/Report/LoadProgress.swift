/// Says once a second how a load stands.
struct LoadProgress {
    private let plan: LoadPlan
    private let print: @Sendable (String) -> Void
    private var seconds = 0
    private var booked = 0
    private var read = 0

    /// Begins at the first request.
    ///
    /// - Parameters:
    ///   - plan: For how many seconds what is to be sent.
    ///   - print: Shows a line.
    init(_ plan: LoadPlan, print: @escaping @Sendable (String) -> Void) {
        self.plan = plan
        self.print = print
    }

    /// Shows what came of the second that has passed, and the latency since the load has its full size.
    mutating func second(_ tally: LoadStatistics) {
        self.seconds += 1
        let booked = tally.booked - self.booked
        let read = tally.reads.answered - self.read
        self.booked = tally.booked
        self.read = tally.reads.answered
        let reads = self.plan.reads > 0 ? ", \(read) read" : ""
        let decided = tally.booked + tally.refused + tally.reads.answered + tally.reads.refused
        let all = tally.answers.values.reduce(0, +) + tally.reads.answers.values.reduce(0, +)
        let latency =
            self.seconds <= self.plan.ramp
            ? "the load still grows" : "p99 \(LoadLatencies(tally.latency).p99) ms"
        self.print(
            "\(self.seconds) of \(self.plan.ramp + self.plan.duration) s: \(booked) booked\(reads) in the last second, "
                + "\(tally.refused + tally.reads.refused) refused, \(all - decided) failed, \(latency)"
        )
    }
}
