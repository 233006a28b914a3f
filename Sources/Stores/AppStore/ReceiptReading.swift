import Foundation

/// Converts a confirming answer of the verification endpoint to facts.
struct ReceiptReading {
    let answer: VerifyReceiptAnswer
    let receipt: StoreRecord
    let environment: StoreEnvironment
    let receiptSHA256: String
    let requestedAt: Date

    private(set) var facts: [StoreFact] = []
    private(set) var skipped: [VerifiedReceipt.SkippedTransaction] = []

    /// Reads every transaction in the answer.
    /// - Parameters:
    ///   - answer: The store's answer.
    ///   - environment: The store environment that answered.
    ///   - receiptSHA256: The hash of the submitted receipt.
    ///   - now: The time of the answer, for answers without a date.
    /// - Throws: ``StoreRecord/Unreadable`` for an answer without a receipt or with an invalid date.
    init(
        of answer: VerifyReceiptAnswer,
        environment: StoreEnvironment,
        receiptSHA256: String,
        now: Date
    ) throws(StoreRecord.Unreadable) {
        guard let receipt = answer.receipt else { throw StoreRecord.Unreadable() }
        self.answer = answer
        self.receipt = receipt
        self.environment = environment
        self.receiptSHA256 = receiptSHA256
        let requestedAt = try receipt.instant("request_date_ms")
        self.requestedAt = requestedAt ?? now
        self.readTransactions()
        self.readRenewals()
    }

    /// The bundle id of the receipt's app; old-style receipts store it as `bid`.
    func bundleID() throws(StoreRecord.Unreadable) -> String {
        if let bundleID = try self.receipt.text("bundle_id") { return bundleID }
        guard let bundleID = try self.receipt.text("bid") else { throw StoreRecord.Unreadable() }
        return bundleID
    }

    /// Returns `true` if the environment in the answer is the one that was called.
    func agreesOnEnvironment() throws(StoreRecord.Unreadable) -> Bool {
        let said: [String?] = [answer.environment, try self.receipt.text("receipt_type")]
        return said.compactMap { $0 }.allSatisfy { Self.environments[$0] == self.environment }
    }

    private static let environments: [String: StoreEnvironment] = [
        "Production": .production,
        "ProductionVPP": .production,
        "Sandbox": .sandbox,
        "ProductionSandbox": .sandbox,
        "ProductionVPPSandbox": .sandbox,
    ]

    /// A Boolean value that indicates whether the receipt is a single transaction instead of a list.
    private var isOldStyle: Bool {
        self.answer.purchases == nil && (try? self.receipt.text("bid")) != nil
    }

    // Both lists may contain the same transaction, so its records are merged before they are read: only the later list
    // has account tokens and ownership, and a cancellation in either list counts.
    private mutating func readTransactions() {
        var records: [String: StoreRecord] = [:]
        let purchases = self.answer.purchases?.readable ?? (self.isOldStyle ? [self.receipt] : [])
        for record in purchases + self.answer.latest.readable {
            guard let id = try? record.text("transaction_id") else {
                self.skipped.append(.init(transactionID: nil, reason: .malformed))
                continue
            }
            records[id] = records[id]?.overlaid(with: record) ?? record
        }
        let unreadable = (self.answer.purchases?.unreadable ?? 0) + self.answer.latest.unreadable
        for _ in 0..<unreadable {
            self.skipped.append(.init(transactionID: nil, reason: .malformed))
        }
        for (id, record) in records {
            self.read(record, id: id)
        }
        self.facts.sort { ($0.purchasedAt, $0.transactionID) < ($1.purchasedAt, $1.transactionID) }
        self.skipped.sort { ($0.transactionID ?? "") < ($1.transactionID ?? "") }
    }

    private mutating func read(_ record: StoreRecord, id: String) {
        do {
            let transaction = ReceiptTransaction(record: record, id: id)
            let fact = try transaction.fact(
                environment: self.environment,
                receiptSHA256: self.receiptSHA256,
                sourceAt: self.requestedAt
            )
            guard (1...10).contains(fact.quantity) else {
                self.skipped.append(.init(transactionID: id, reason: .quantityOutOfRange))
                return
            }
            self.facts.append(fact)
        } catch {
            self.skipped.append(.init(transactionID: id, reason: .malformed))
        }
    }

    // Renewal flags describe the current period, so only the newest fact of each subscription gets them. An unreadable
    // flag stays unknown, since it does not affect grants.
    private mutating func readRenewals() {
        for renewal in self.answer.renewals.readable {
            guard
                let id = try? renewal.text("original_transaction_id"),
                let newest = self.newestPeriod(of: id)
            else { continue }
            let product = (try? renewal.text("product_id")) ?? self.facts[newest].storeProductID
            // A subscription that changed products may have an entry for each of them.
            let isOther = product != self.facts[newest].storeProductID
            if isOther && self.facts[newest].willRenew != nil { continue }
            self.facts[newest].willRenew = try? renewal.flag("auto_renew_status")
            self.facts[newest].billingIssue = (try? renewal.flag("is_in_billing_retry_period")) ?? false
            self.facts[newest].graceEndsAt = try? renewal.datedInstant("grace_period_expires_date")
        }
    }

    private func newestPeriod(of originalTransactionID: String) -> Int? {
        self.facts.indices
            .filter { index in
                let fact = self.facts[index]
                return fact.kind == .subscription && fact.originalTransactionID == originalTransactionID
            }
            .max { left, right in
                let left = self.facts[left]
                let right = self.facts[right]
                return (left.purchasedAt, left.expiresAt ?? .distantPast)
                    < (right.purchasedAt, right.expiresAt ?? .distantPast)
            }
    }
}

/// One transaction of a receipt, as the verification endpoint writes it.
private struct ReceiptTransaction {
    let record: StoreRecord
    let id: String

    /// Returns the fact of the transaction.
    /// - Parameters:
    ///   - environment: The store environment that answered.
    ///   - receiptSHA256: The hash of the receipt that contains the transaction.
    ///   - sourceAt: The time of the store's answer.
    /// - Returns: The fact; its quantity is not checked.
    /// - Throws: ``StoreRecord/Unreadable`` if a required member is missing or a member cannot be read.
    func fact(
        environment: StoreEnvironment,
        receiptSHA256: String,
        sourceAt: Date
    ) throws(StoreRecord.Unreadable) -> StoreFact {
        guard
            let product = try self.record.text("product_id"),
            let purchasedAt = try self.record.datedInstant("purchase_date"),
            (try? purchasedAt.boughtBefore(sourceAt)) != nil
        else { throw StoreRecord.Unreadable() }
        let expiresAt = try self.record.datedInstant("expires_date")
        let lineItemID = try self.record.text("web_order_line_item_id")
        let quantity = try self.record.integer("quantity")
        var fact = StoreFact(
            store: .appStore,
            environment: environment,
            transactionID: self.id,
            storeProductID: product,
            kind: expiresAt == nil && lineItemID == nil ? .oneTime : .subscription,
            quantity: quantity ?? 1,
            ownership: try self.ownership(),
            purchasedAt: purchasedAt,
            source: .receipt,
            sourceAt: sourceAt
        )
        fact.originalTransactionID = try self.record.text("original_transaction_id")
        fact.lineItemID = lineItemID
        fact.expiresAt = expiresAt
        fact.periodType = fact.kind == .subscription ? try self.periodType() : nil
        fact.appAccountToken = StoreFact.accountToken(try self.record.text("app_account_token"))
        fact.receiptSHA256 = receiptSHA256
        try self.addCancellation(to: &fact)
        return fact
    }

    private func ownership() throws(StoreRecord.Unreadable) -> StoreFact.Ownership {
        switch try self.record.text("in_app_ownership_type") {
        case nil, "PURCHASED": return .purchased
        case "FAMILY_SHARED": return .familyShared
        default: throw StoreRecord.Unreadable()
        }
    }

    private func periodType() throws(StoreRecord.Unreadable) -> StoreFact.PeriodType {
        if try self.record.flag("is_trial_period") == true { return .trial }
        if try self.record.flag("is_in_intro_offer_period") == true { return .intro }
        return try self.record.text("promotional_offer_id") == nil ? .normal : .promotional
    }

    /// Reads a cancellation, which always applies to the whole transaction.
    ///
    /// An upgrade also sets a cancellation date. It is not a refund to record: the store itself repays the rest of the
    /// period.
    private func addCancellation(to fact: inout StoreFact) throws(StoreRecord.Unreadable) {
        fact.upgraded = try self.record.flag("is_upgraded") ?? false
        guard let cancelledAt = try self.record.datedInstant("cancellation_date"), !fact.upgraded else { return }
        fact.refundedMillionths = 1_000_000
        fact.refundedAt = cancelledAt
    }
}

/// The members of the verification endpoint's answer that are used.
struct VerifyReceiptAnswer: Decodable, Sendable {
    /// A list whose elements may not be objects, or a single object instead of a list of one.
    struct Records: Decodable, Sendable {
        private struct Element: Decodable {
            let record: StoreRecord?

            init(from decoder: any Decoder) throws {
                self.record = try? StoreRecord(from: decoder)
            }
        }

        /// The readable elements, in order.
        var readable: [StoreRecord] = []
        /// The number of elements that are not objects.
        var unreadable = 0

        init() {}

        init(from decoder: any Decoder) throws {
            guard var list = try? decoder.unkeyedContainer() else {
                self.readable = [try StoreRecord(from: decoder)]
                return
            }
            while !list.isAtEnd {
                if let record = try list.decode(Element.self).record {
                    self.readable.append(record)
                } else {
                    self.unreadable += 1
                }
            }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case receipt
        case latest = "latest_receipt_info"
        case latestExpired = "latest_expired_receipt_info"
        case renewals = "pending_renewal_info"
    }

    private enum ReceiptKeys: String, CodingKey {
        case purchases = "in_app"
    }

    let status: Int
    let isRetryable: Bool
    let environment: String?
    /// The decoded receipt; in the old style, the single transaction itself.
    let receipt: StoreRecord?
    /// The receipt's purchases; nil in the old style.
    let purchases: Records?
    let latest: Records
    let renewals: Records

    /// Decodes an answer and ignores unknown members.
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` or ``StoreRecord/Unreadable`` if the answer does not have the store's form.
    init(from decoder: any Decoder) throws {
        let outer = try StoreRecord(from: decoder)
        guard let status = try outer.integer("status") else { throw StoreRecord.Unreadable() }
        self.status = status
        self.isRetryable = try outer.flag("is-retryable") ?? outer.flag("is_retryable") ?? true
        self.environment = try outer.text("environment")

        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.receipt = try members.decodeIfPresent(StoreRecord.self, forKey: .receipt)
        self.purchases =
            self.receipt == nil
            ? nil
            : try members.nestedContainer(keyedBy: ReceiptKeys.self, forKey: .receipt)
                .decodeIfPresent(Records.self, forKey: .purchases)
        self.latest =
            try members.decodeIfPresent(Records.self, forKey: .latest)
            ?? members.decodeIfPresent(Records.self, forKey: .latestExpired) ?? Records()
        self.renewals = try members.decodeIfPresent(Records.self, forKey: .renewals) ?? Records()
    }
}

/// The meaning of a status of the verification endpoint for the call.
enum VerifyReceiptVerdict: Equatable {
    /// The store confirms the receipt.
    case ok
    /// The receipt belongs to the other store environment.
    case otherSide
    /// A temporary failure of the store; try again.
    case again(isOutage: Bool)
    /// A malformed receipt or a temporary failure; the store does not distinguish them. Try once more, then reject.
    case retryOnce
    /// The store refuses our request or our secret.
    case misconfigured
    /// The store does not confirm the receipt.
    case rejected
    /// Not an answer of the store.
    case nonsense

    /// Derives the verdict from an answer.
    ///
    /// | status | verdict |
    /// |---|---|
    /// | 0; 21006 with the receipt decoded (old-style subscriptions that have ended) | ok |
    /// | 21007 from production, 21008 from the sandbox | the other side |
    /// | 21002 | once more |
    /// | 21005, 21009 | again, an outage |
    /// | 21100 to 21199 unless marked as not retryable | again |
    /// | 21000, 21004 | misconfigured |
    /// | everything else | rejected |
    init(of answer: VerifyReceiptAnswer, from side: StoreEnvironment) {
        switch answer.status {
        case 0: self = answer.receipt == nil ? .nonsense : .ok
        case 21_006: self = answer.receipt == nil ? .rejected : .ok
        case 21_007: self = side == .production ? .otherSide : .nonsense
        case 21_008: self = side == .sandbox ? .otherSide : .nonsense
        case 21_002: self = .retryOnce
        case 21_005, 21_009: self = .again(isOutage: true)
        case 21_100...21_199: self = answer.isRetryable ? .again(isOutage: false) : .rejected
        case 21_000, 21_004: self = .misconfigured
        default: self = .rejected
        }
    }

    /// The health of the environment that the verdict implies.
    var health: CircuitBreaker.Outcome {
        switch self {
        case .again(isOutage: true): .outage
        case .again, .nonsense: .inconclusive
        case .ok, .otherSide, .retryOnce, .misconfigured, .rejected: .working
        }
    }
}

/// A flat JSON object of a store, whose values may be text, numbers or flags.
///
/// A member that is absent, null or empty text is unknown. A present member that cannot be read is an error: an invalid
/// cancellation date must not be read as "not cancelled".
struct StoreRecord: Decodable, Sendable {
    /// A member is present but has an unexpected form.
    struct Unreadable: Error {}

    private enum Value: Decodable {
        case text(String)
        case integer(Int64)
        case flag(Bool)
        case other

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? value.decode(Int64.self) {
                self = .integer(number)
            } else {
                self = .other
            }
        }
    }

    private var members: [String: Value]

    init(from decoder: any Decoder) throws {
        self.members = try [String: Value?](from: decoder).compactMapValues { $0 }
    }

    /// Returns this record with the members of another record, which take precedence.
    func overlaid(with other: StoreRecord) -> StoreRecord {
        var result = self
        result.members.merge(other.members) { _, newer in newer }
        return result
    }

    /// Returns text without control characters and of at most 255 bytes; an integer is returned as its digits.
    func text(_ key: String) throws(Unreadable) -> String? {
        switch self.members[key] {
        case nil, .text(""): return nil
        case .text(let text):
            guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw Unreadable() }
            return text
        case .integer(let number): return String(number)
        case .flag, .other: throw Unreadable()
        }
    }

    func integer(_ key: String) throws(Unreadable) -> Int? {
        guard let text = try self.text(key) else { return nil }
        guard let number = Int(text) else { throw Unreadable() }
        return number
    }

    /// Returns a flag that is written as true or false, or as 1 or 0, with or without quotes.
    func flag(_ key: String) throws(Unreadable) -> Bool? {
        if case .flag(let flag) = self.members[key] { return flag }
        switch try self.text(key)?.lowercased() {
        case nil: return nil
        case "1", "true": return true
        case "0", "false": return false
        default: throw Unreadable()
        }
    }

    /// Returns an instant that the store writes twice: in milliseconds under the key with `_ms`, and as text under the
    /// key itself.
    ///
    /// If the milliseconds are missing, the text is read: `2026-11-22 10:00:00 Etc/GMT`. Old-style receipts have
    /// milliseconds under the key itself.
    func datedInstant(_ key: String) throws(Unreadable) -> Date? {
        if let instant = try self.instant("\(key)_ms") { return instant }
        guard let text = try self.text(key) else { return nil }
        if text.utf8.allSatisfy({ (48...57).contains($0) }) { return try self.instant(key) }
        let words = text.split(separator: " ")
        guard
            words.count == 3, ["Etc/GMT", "GMT", "UTC"].contains(words[2]),
            let instant = Date(storeInstant: "\(words[0])T\(words[1])Z")
        else { throw Unreadable() }
        return instant
    }

    /// Returns an instant from milliseconds since 1970, up to the year 9999.
    func instant(_ key: String) throws(Unreadable) -> Date? {
        guard let text = try self.text(key) else { return nil }
        guard let milliseconds = Int64(text), (1..<253_402_300_800_000).contains(milliseconds) else {
            throw Unreadable()
        }
        return Date(millisecondsSince1970: milliseconds)
    }
}
