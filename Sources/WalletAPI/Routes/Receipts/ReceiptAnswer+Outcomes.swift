import Stores
import Wallet

extension ReceiptAnswer {
    /// The reasons that decide a transaction permanently.
    ///
    /// Excluded are transactions that may still be granted later: a pending payment, a blocked account, or a product
    /// missing in the catalogue. Also excluded is a token mismatch, because another user of the same device may own the
    /// purchase. A finished consumable leaves the receipt and cannot be sent again.
    private static let finalReasons: Set<String> = [
        "before-cutover", "family-shared", "refunded", "sandbox-refused", "transaction-already-claimed",
    ]

    init(
        outcomes: [FactOutcome],
        unreadable: [VerifiedReceipt.SkippedTransaction],
        subscriptions: [Subscription],
        balance: BalanceSummary,
        environment: WalletEnvironment
    ) {
        self.granted = outcomes.filter { $0.verdict == .granted }.map(Granted.init)
        self.skipped =
            outcomes.filter { $0.verdict == .skipped }.map(Skipped.init)
            + unreadable.map { Skipped(transactionID: $0.transactionID, reason: $0.reason.rawValue) }
        self.subscriptions = subscriptions
        self.balance = balance
        self.environment = environment
        self.finish = Self.finished(outcomes)
    }

    /// Returns each transaction whose products are all decided permanently, once; the app may finish these
    /// transactions.
    static func finished(_ outcomes: [FactOutcome]) -> [String] {
        var passedOver = Set(outcomes.filter { !Self.isFinal($0) }.map(\.transactionID))
        return outcomes.map(\.transactionID).filter { passedOver.insert($0).inserted }
    }

    private static func isFinal(_ outcome: FactOutcome) -> Bool {
        switch outcome.verdict {
        case .granted: true
        case .skipped: outcome.reason.map(Self.finalReasons.contains) ?? false
        }
    }
}

extension ReceiptAnswer.Granted {
    init(_ outcome: FactOutcome) {
        self.init(
            transactionID: outcome.transactionID,
            productID: outcome.productID,
            unit: outcome.unit,
            amount: outcome.amount,
            lotID: outcome.lotID,
            duplicate: outcome.duplicate
        )
    }
}

extension ReceiptAnswer.Skipped {
    init(_ outcome: FactOutcome) {
        self.init(transactionID: outcome.transactionID, reason: outcome.reason ?? "skipped")
    }
}
