import Foundation

/// One webhook of RevenueCat, without its envelope.
struct RevenueCatMessage {
    /// The maximum accepted difference between RevenueCat's clock and ours; later dates are treated as wrong.
    private static let maximumSkew: TimeInterval = 300
    /// The maximum size of a user id that the wallet stores: 320 characters.
    private static let maximumUserIDBytes = 1_280
    private static let maximumOwners = 100

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

    /// Returns an event with only the source, the id and the type.
    func bareEvent(subtype: String? = nil) -> StoreEvent {
        let type = subtype.map { "\(self.type).\($0)" } ?? self.type
        return StoreEvent(source: .revenueCat, id: self.id, type: type)
    }

    /// Returns an event without effect and the reason for it.
    func ignoredEvent(because reason: String) -> StoreEvent {
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
    func userIDs(_ key: String) throws(StoreError) -> [String] {
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
}

extension Optional {
    /// Returns the value; throws `unreadable` for nil.
    func orUnreadable() throws(StoreError) -> Wrapped {
        guard let self else { throw StoreError(.unreadable) }
        return self
    }
}

extension [String] {
    fileprivate var withoutRepetitions: [String] {
        var seen: Set<ExactText> = []
        return self.filter { seen.insert(ExactText($0)).inserted }
    }
}
