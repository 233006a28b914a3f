import Metrics
import Synchronization

/// Counts the decisions of this instance: debits for bookings and passes, and the results of receipts.
struct WalletMetrics: Sendable {
    /// Counts the debits in one unit.
    private struct Debits: Sendable {
        let count: Counter
        let amount: Counter

        init(_ unit: CreditUnit) {
            let labels = [("unit", unit.rawValue)]
            self.count = Counter(label: "wallet_debits_total", dimensions: labels)
            self.amount = Counter(label: "wallet_debited_units_total", dimensions: labels)
        }
    }

    private let credits = Debits(.credit)
    private let visits = Debits(.visit)
    private let granted = Counter(label: "wallet_receipt_facts_total", dimensions: [("verdict", "granted")])
    private let duplicate = Counter(label: "wallet_receipt_facts_total", dimensions: [("verdict", "duplicate")])
    private let skipped = Counter(label: "wallet_receipt_facts_total", dimensions: [("verdict", "skipped")])

    /// Counts a payment, unless the answer is a replay.
    func noteDebit(of amount: Int64, in unit: CreditUnit?, replayed: Bool) {
        guard let unit, !replayed, amount > 0 else { return }
        let debits = unit == .credit ? self.credits : self.visits
        debits.count.increment()
        debits.amount.increment(by: amount)
    }

    /// Counts the result for a submitted purchase.
    func note(_ outcome: FactOutcome) {
        switch outcome.verdict {
        case .skipped: self.skipped.increment()
        case .granted where outcome.duplicate: self.duplicate.increment()
        case .granted: self.granted.increment()
        }
    }
}
