extension StoreName {
    /// Creates the store of sale from RevenueCat's name, which is upper case in webhooks and lower case in answers.
    ///
    /// The Mac App Store is mapped to the App Store, since one transaction may be reported under either name.
    init(revenueCat name: String) {
        let name = name.lowercased()
        self = name == "mac_app_store" ? .appStore : StoreName(rawValue: name)
    }
}

extension StoreFact.PeriodType {
    /// Creates a period type from RevenueCat's name; an unknown name gives `normal`.
    init(revenueCat name: String?) {
        self = name.flatMap { Self(rawValue: $0.lowercased()) } ?? .normal
    }
}

extension StoreFact {
    /// Sets Google Play's order, which RevenueCat reports as the transaction, and the subscription that it belongs to.
    mutating func nameOrder() {
        guard self.store == .playStore else { return }
        self.orderID = self.transactionID
        guard self.kind == .subscription else { return }
        self.originalTransactionID = GooglePlayOrder.base(of: self.originalTransactionID ?? self.transactionID)
    }
}
