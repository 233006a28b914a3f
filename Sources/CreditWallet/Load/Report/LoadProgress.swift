/// Prints the progress of a load every second.
struct LoadProgress {
    private let plan: LoadPlan
    private let print: @Sendable (String) -> Void
    private var seconds = 0
    private var booked = 0
    private var read = 0

    /// Creates a progress that starts with the first request.
    ///
    /// - Parameters:
    ///   - plan: The plan of the load.
    ///   - print: A closure that prints a line.
    init(_ plan: LoadPlan, print: @escaping @Sendable (String) -> Void) {
        self.plan = plan
        self.print = print
    }

    /// Prints the results of the last second, and the latency since the load reached its full size.
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
            ? "the load is still growing" : "p99 \(LoadLatencies(tally.latency).p99) ms"
        self.print(
            "\(self.seconds) of \(self.plan.ramp + self.plan.duration) s: \(booked) booked\(reads) in the last second, "
                + "\(tally.refused + tally.reads.refused) refused, \(all - decided) failed, \(latency)"
        )
    }
}
