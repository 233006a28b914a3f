import Metrics

/// A kind of refusal or failure, as `problems.yaml` describes it.
package struct ProblemType: Sendable {
    /// Indicates whether and when the client may send the same request again.
    package enum Repetition: String, Sendable {
        case later, changed, never
    }

    package let slug: String
    package let status: Int
    /// The title, which all occurrences of the problem share; without a full stop.
    package let title: String
    package let repetition: Repetition
    /// The explanation for the reference.
    package let cause: String
    /// The next step for the client's developer.
    package let fix: String

    /// The problem types of the HTTP interface by slug.
    package static let all: [String: ProblemType] = Dictionary(
        uniqueKeysWithValues: EmbeddedProblems.types.map { ($0.slug, $0) }
    )

    /// Returns the title of a slug.
    ///
    /// A slug that is not in `problems.yaml`, for example from a newer database, gets the title of its status.
    package static func title(of slug: String, status: Int) -> String {
        if let type = Self.all[slug] { return type.title }
        switch status {
        case 400..<500: return "The request was refused"
        default: return "Something went wrong"
        }
    }
}

/// Counts refusals and failures by their slugs.
package struct RefusalMetrics: Sendable {
    /// The counters of the slugs in `problems.yaml`; all other slugs count as `other`.
    private let counters: [String: Counter]
    private let others: Counter

    /// Creates the counters of the current wallet.
    package init() {
        self.counters = Dictionary(
            uniqueKeysWithValues: ProblemType.all.keys.map { slug in (slug, Self.counter(slug)) }
        )
        self.others = Self.counter("other")
    }

    /// Counts a refusal or failure.
    package func note(_ slug: String) {
        (self.counters[slug] ?? self.others).increment()
    }

    private static func counter(_ slug: String) -> Counter {
        Counter(label: "wallet_refusals_total", dimensions: [("slug", slug)])
    }
}
