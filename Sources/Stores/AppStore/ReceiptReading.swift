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
