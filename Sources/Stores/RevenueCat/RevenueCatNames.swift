extension StoreName {
    /// The store of sale that RevenueCat names, in upper case in webhooks and in lower case in answers.
    ///
    /// The Mac's App Store is the App Store: one transaction of it may be reported under either name.
    init(revenueCat name: String) {
        let name = name.lowercased()
        self = name == "mac_app_store" ? .appStore : StoreName(rawValue: name)
    }
}

extension StoreFact.PeriodType {
    /// The sort of period that RevenueCat names; normal for a name that this build does not know.
    init(revenueCat name: String?) {
        self = name.flatMap { Self(rawValue: $0.lowercased()) } ?? .normal
    }
}

extension StoreFact {
    /// Names Google Play's order, which RevenueCat gives as the transaction, and the subscription that it belongs to.
    mutating func nameOrder() {
        guard self.store == .playStore else { return }
        self.orderID = self.transactionID
        guard self.kind == .subscription else { return }
        self.originalTransactionID = GooglePlayOrder.base(of: self.originalTransactionID ?? self.transactionID)
    }
}
