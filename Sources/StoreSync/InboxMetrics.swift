import Metrics
import Stores
import Wallet

/// Measures the stores' messages: the outcome of each attempt, and the time from receipt to application.
struct InboxMetrics: Sendable {
    private struct Series: Sendable {
        let outcomes: [EventOutcome.Status: Counter]
        let lag: Timer

        init(_ source: StoreEvent.Source) {
            let statuses: [EventOutcome.Status] = [.new, .processed, .ignored, .awaitingUser, .failed, .quarantined]
            self.outcomes = Dictionary(
                uniqueKeysWithValues: statuses.map { status in
                    let labels = [("source", source.rawValue), ("status", status.rawValue)]
                    return (status, Counter(label: "wallet_webhook_attempts_total", dimensions: labels))
                }
            )
            self.lag = Timer(label: "wallet_webhook_lag_seconds", dimensions: [("source", source.rawValue)])
        }
    }

    private let series: [StoreEvent.Source: Series]

    init() {
        let sources: [StoreEvent.Source] = [.appStore, .revenueCat, .googlePlay]
        self.series = Dictionary(uniqueKeysWithValues: sources.map { ($0, Series($0)) })
    }

    /// Records an attempt at a message.
    ///
    /// - Parameters:
    ///   - event: The message.
    ///   - outcome: The result; a duplicate is not counted.
    ///   - start: The time of receipt; nil if it is no longer known.
    func note(_ event: StoreEvent, _ outcome: EventOutcome, since start: ContinuousClock.Instant?) {
        guard !outcome.duplicate, let series = self.series[event.source] else { return }
        series.outcomes[outcome.status]?.increment()
        guard outcome.status == .processed, let start else { return }
        series.lag.record(duration: start.duration(to: .now))
    }
}
