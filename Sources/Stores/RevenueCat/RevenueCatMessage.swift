import Foundation

/// One webhook of RevenueCat, its envelope taken off.
struct RevenueCatMessage {
    /// No clock of theirs and ours differ by more; what is dated later is dated wrong.
    private static let maximumSkew: TimeInterval = 300
    /// The longest id that the wallet keeps, 320 characters.
    private static let maximumUserIDBytes = 1_280
    private static let maximumOwners = 100

    let record: StoreDocument
    let id: String
    let type: String
    let receivedAt: Date
    let currencyCode: String?

    /// Takes the envelope off.
    /// - Parameters:
    ///   - body: the body's bytes.
    ///   - receivedAt: when it came.
    ///   - currencyCode: the code of the currency whose transactions grant.
    /// - Throws: ``StoreError`` `unreadable` for anything but an event with an id and a type.
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

    /// What the message says.
    func event() throws(StoreError) -> StoreEvent {
        if let news = RevenueCatUpdate(rawValue: self.type) { return try self.event(of: news) }
        switch self.type {
        case "TRANSFER": return try self.transferEvent()
        case "VIRTUAL_CURRENCY_TRANSACTION": return try self.currencyEvent()
        default: return self.ignoredEvent()
        }
    }

    /// The event as it begins: who sent it, its id and its type.
    func bareEvent(subtype: String? = nil) -> StoreEvent {
        let type = subtype.map { "\(self.type).\($0)" } ?? self.type
        return StoreEvent(source: .revenueCat, id: self.id, type: type)
    }

    /// An event that changes nothing, and why.
    func ignoredEvent(because reason: String) -> StoreEvent {
        var event = self.bareEvent()
        event.ignored = reason
        return event
    }

    /// When RevenueCat says that it happened.
    ///
    /// An instant that is still to come would hold its flags against every later word; it counts as the moment of
    /// receipt.
    func reportedAt() throws(StoreError) -> Date {
        let reportedAt = try self.datedAt()
        return reportedAt > self.receivedAt.addingTimeInterval(Self.maximumSkew) ? self.receivedAt : reportedAt
    }

    /// When RevenueCat says that it happened, by RevenueCat's own clock.
    func datedAt() throws(StoreError) -> Date {
        try self.record.milliseconds("event_timestamp_ms").orUnreadable()
    }

    /// The user ids of the customer, the last seen one first, each once.
    func owners() throws(StoreError) -> [String] {
        let named = [
            try self.record.text("app_user_id", atMost: Self.maximumUserIDBytes),
            try self.record.text("original_app_user_id", atMost: Self.maximumUserIDBytes),
        ]
        let owners = named.compactMap { $0 } + (try self.userIDs("aliases"))
        guard !owners.isEmpty else { throw StoreError(.unreadable) }
        return Array(owners.withoutRepetitions.prefix(Self.maximumOwners))
    }

    /// A list of user ids, each once.
    func userIDs(_ key: String) throws(StoreError) -> [String] {
        try self.record.texts(key, atMost: Self.maximumUserIDBytes).withoutRepetitions
    }

    /// The side of the store that a member names.
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
    /// The value, where there must be one.
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
