import Foundation
import JSON

/// One webhook of RevenueCat, without its envelope.
struct RevenueCatMessage {
    /// The maximum accepted difference between RevenueCat's clock and ours; later dates are treated as wrong.
    private static let maximumSkew: TimeInterval = 300
    /// The maximum size of a user id that the wallet stores: 320 characters.
    private static let maximumUserIDBytes = 1_280
    private static let maximumOwners = 100
    /// The maximum amount of an adjustment of RevenueCat and of a balance.
    private static let largestAmount: Int64 = 2_000_000_000

    let record: StoreDocument
    let id: String
    let type: String
    let receivedAt: Date
    let currencyCode: String?

    /// Reads the envelope.
    /// - Parameters:
    ///   - body: The body's bytes.
    ///   - receivedAt: The time of receipt.
    ///   - currencyCode: The code of the currency whose transactions grant credits.
    /// - Throws: ``StoreError`` `unreadable` if the body is not an event with an id and a type.
    init(_ body: Data, receivedAt: Date, currencyCode: String?) throws(StoreError) {
        guard
            let record = try StoreDocument(parsing: body).object("event"),
            let id = try record.text("id"),
            let type = try record.text("type", atMost: 100)
        else { throw StoreError(.unreadable) }
        self.record = record
        self.id = id
        self.type = type
        self.receivedAt = receivedAt
        self.currencyCode = currencyCode
    }

    /// Returns the event that the message reports.
    func event() throws(StoreError) -> StoreEvent {
        if let news = RevenueCatUpdate(rawValue: self.type) { return try self.event(of: news) }
        switch self.type {
        case "TRANSFER": return try self.transferEvent()
        case "VIRTUAL_CURRENCY_TRANSACTION": return try self.currencyEvent()
        default: return self.ignoredEvent()
        }
    }

    /// Returns an event that transfers a customer's subscriptions to another customer; it contains neither purchases
    /// nor owners.
    private func transferEvent() throws(StoreError) -> StoreEvent {
        let from = try self.userIDs("transferred_from")
        let to = try self.userIDs("transferred_to")
        guard !from.isEmpty, !to.isEmpty else { throw StoreError(.unreadable) }
        var event = self.bareEvent()
        event.transfer = .init(
            environment: try self.environment("environment"),
            from: from,
            to: to,
            at: try self.reportedAt()
        )
        return event
    }

    /// Returns an event about RevenueCat's virtual currency; only amounts added by a purchase are reported, others are
    /// ignored.
    private func currencyEvent() throws(StoreError) -> StoreEvent {
        guard let currencyCode else { return self.ignoredEvent(because: "currency-not-configured") }
        guard try self.record.text("source") == "in_app_purchase" else {
            return self.ignoredEvent(because: "no-purchase")
        }
        let amount = try self.amountAdded(of: currencyCode)
        guard amount > 0 else { return self.ignoredEvent(because: "nothing-added") }
        guard let product = try self.record.text("product_id") else { return self.ignoredEvent(because: "no-product") }
        var event = self.bareEvent()
        let fact = try self.currencyFact(product: product, amount: amount)
        event.statements = [.init(fact: fact, owners: try self.owners())]
        return event
    }

    /// The message does not prove the payment and omits kind and period; the purchase's own message contains them.
    private func currencyFact(product: String, amount: Int) throws(StoreError) -> StoreFact {
        let reportedAt = try self.reportedAt()
        let transactionID = try self.record.identifier("transaction_id")
        let ownID = try self.record.identifier("virtual_currency_transaction_id")
        let purchasedAt = try self.record.milliseconds("purchased_at_ms")
        var fact = StoreFact(
            store: StoreName(revenueCat: try self.record.text("store").orUnreadable()),
            environment: try self.environment("purchase_environment").orUnreadable(),
            transactionID: try (transactionID ?? ownID).orUnreadable(),
            storeProductID: product,
            kind: try self.record.milliseconds("expiration_at_ms") == nil ? .oneTime : .subscription,
            purchasedAt: try (purchasedAt ?? reportedAt).boughtBefore(self.datedAt()),
            source: .notification,
            sourceAt: reportedAt
        )
        fact.reportedAmount = amount
        fact.pending = true
        if transactionID != nil { fact.nameOrder() }
        return fact
    }

    private func amountAdded(of currencyCode: String) throws(StoreError) -> Int {
        var sum: Int64 = 0
        for adjustment in try self.record.list("adjustments").orUnreadable() {
            guard try adjustment.object("currency").orUnreadable().text("code") == currencyCode else { continue }
            let amount = try adjustment.integer("amount").orUnreadable()
            sum += min(max(amount, 0), Self.largestAmount + 1)
            guard sum <= Self.largestAmount else { throw StoreError(.unreadable) }
        }
        return Int(sum)
    }

    private func ignoredEvent() -> StoreEvent {
        if self.type.hasPrefix("PAYWALL_") { return self.ignoredEvent(because: "not-stored") }
        switch self.type {
        case "TEST": return self.ignoredEvent(because: "test")
        case "TEMPORARY_ENTITLEMENT_GRANT": return self.ignoredEvent(because: "unvalidated")
        case "INVOICE_ISSUANCE": return self.ignoredEvent(because: "unpaid")
        case "EXPERIMENT_ENROLLMENT", "PURCHASE_REDEEMED", "SUBSCRIBER_ALIAS", "PRICE_INCREASE_CONSENT_REQUIRED",
            "PRICE_INCREASE_CONSENT_APPROVED":
            return self.ignoredEvent(because: "no-purchase")
        default: return self.ignoredEvent(because: "unknown-type")
        }
    }

    /// Returns an event with only the source, the id and the type.
    func bareEvent(subtype: String? = nil) -> StoreEvent {
        let type = subtype.map { "\(self.type).\($0)" } ?? self.type
        return StoreEvent(source: .revenueCat, id: self.id, type: type)
    }

    /// Returns an event without effect and the reason for it.
    private func ignoredEvent(because reason: String) -> StoreEvent {
        var event = self.bareEvent()
        event.ignored = reason
        return event
    }

    /// Returns the time of the event, for use as the source time of facts.
    ///
    /// A time in the future is replaced by the time of receipt: its flags would otherwise override all later messages.
    func reportedAt() throws(StoreError) -> Date {
        let reportedAt = try self.datedAt()
        return reportedAt > self.receivedAt.addingTimeInterval(Self.maximumSkew) ? self.receivedAt : reportedAt
    }

    /// Returns the time of the event by RevenueCat's clock.
    func datedAt() throws(StoreError) -> Date {
        try self.record.milliseconds("event_timestamp_ms").orUnreadable()
    }

    /// Returns the customer's user ids without duplicates, the last seen first.
    func owners() throws(StoreError) -> [String] {
        let named = [
            try self.record.text("app_user_id", atMost: Self.maximumUserIDBytes),
            try self.record.text("original_app_user_id", atMost: Self.maximumUserIDBytes),
        ]
        let owners = named.compactMap { $0 } + (try self.userIDs("aliases"))
        guard !owners.isEmpty else { throw StoreError(.unreadable) }
        return Array(owners.withoutRepetitions.prefix(Self.maximumOwners))
    }

    /// Returns a list of user ids without duplicates.
    private func userIDs(_ key: String) throws(StoreError) -> [String] {
        try self.record.texts(key, atMost: Self.maximumUserIDBytes).withoutRepetitions
    }

    /// Returns the store environment in a member.
    func environment(_ key: String) throws(StoreError) -> StoreEnvironment? {
        switch try self.record.text(key) {
        case nil: return nil
        case "PRODUCTION": return .production
        case "SANDBOX": return .sandbox
        default: throw StoreError(.unreadable)
        }
    }
}

extension [String] {
    fileprivate var withoutRepetitions: [String] {
        var seen: Set<ExactText> = []
        return self.filter { seen.insert(ExactText($0)).inserted }
    }
}

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
