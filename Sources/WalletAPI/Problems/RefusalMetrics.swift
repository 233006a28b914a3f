import Metrics
import Synchronization

/// Counts refusals and failures by their slugs.
struct RefusalMetrics: Sendable {
    /// The counters of the slugs in the table; all other slugs count as `other`.
    private let counters: [String: Counter]
    private let others: Counter

    init() {
        self.counters = Dictionary(
            uniqueKeysWithValues: ProblemTitles.table.keys.map { slug in (slug, Self.counter(slug)) }
        )
        self.others = Self.counter("other")
    }

    func note(_ problem: Problem) {
        (self.counters[problem.slug] ?? self.others).increment()
    }

    private static func counter(_ slug: String) -> Counter {
        Counter(label: "wallet_refusals_total", dimensions: [("slug", slug)])
    }
}
