import Foundation

/// Writes the verification endpoint's answer for a receipt.
struct VerificationAnswer {
    let receipt: SandboxReceipt
    let transactions: [SandboxTransaction]
    let chains: [String: SandboxSubscription]
    let token: String
    let now: Date

    /// The body of the answer.
    ///
    /// Consumables appear only in `in_app`, unless there is an account token or a subscription: only
    /// `latest_receipt_info` can contain account tokens.
    var body: AppleJSON {
        let shown = self.transactions.filter(\.isShown)
        let subscriptions = shown.filter { $0.kind == .subscription }
        var body: [String: AppleJSON] = [
            "status": .number(0),
            "environment": .text(self.receipt.environment == .production ? "Production" : "Sandbox"),
            "receipt": self.receiptObject(showing: shown),
        ]
        if !subscriptions.isEmpty || shown.contains(where: { $0.appAccountToken != nil }) {
            let newestFirst = shown.sorted { $0.purchasedAt > $1.purchasedAt }
            body["latest_receipt_info"] = .list(newestFirst.map { self.entry(of: $0, isLatest: true) })
        }
        if !subscriptions.isEmpty {
            body["latest_receipt"] = .text(self.token)
            body["pending_renewal_info"] = .list(self.renewals(of: subscriptions))
        }
        return .object(body)
    }

    private func receiptObject(showing shown: [SandboxTransaction]) -> AppleJSON {
        var object: [String: AppleJSON] = [
            "receipt_type": .text(self.receipt.environment == .production ? "Production" : "ProductionSandbox"),
            "adam_id": .number(0),
            "app_item_id": .number(0),
            "bundle_id": .text(self.receipt.bundleID),
            "application_version": .text("1"),
            "original_application_version": .text("1.0"),
            "download_id": .number(0),
            "version_external_identifier": .number(0),
            "in_app": .list(shown.map { self.entry(of: $0, isLatest: false) }),
        ]
        object.add(self.receipt.createdAt, as: "receipt_creation_date")
        object.add(self.now, as: "request_date")
        object.add(shown.map(\.originalPurchasedAt).min() ?? self.receipt.createdAt, as: "original_purchase_date")
        return .object(object)
    }

    private func entry(of transaction: SandboxTransaction, isLatest: Bool) -> AppleJSON {
        var entry: [String: AppleJSON] = [
            "quantity": .text(String(transaction.quantity)),
            "product_id": .text(transaction.productID),
            "transaction_id": .text(transaction.id),
            "original_transaction_id": .text(transaction.originalID),
            "is_trial_period": .text(String(transaction.isTrial)),
            "in_app_ownership_type": .text(transaction.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED"),
        ]
        entry.add(transaction.purchasedAt, as: "purchase_date")
        entry.add(transaction.originalPurchasedAt, as: "original_purchase_date")
        if let expiresAt = transaction.expiresAt {
            entry.add(expiresAt, as: "expires_date")
            entry["is_in_intro_offer_period"] = .text("false")
        }
        if let lineItemID = transaction.lineItemID { entry["web_order_line_item_id"] = .text(lineItemID) }
        if let cancelledAt = transaction.cancelledAt, transaction.isUndone {
            entry.add(cancelledAt, as: "cancellation_date")
            entry["cancellation_reason"] = .text("0")
        }
        if isLatest {
            if transaction.upgradedAt != nil { entry["is_upgraded"] = .text("true") }
            if transaction.kind == .subscription { entry["subscription_group_identifier"] = .text("20000001") }
            if let token = transaction.appAccountToken { entry["app_account_token"] = .text(token) }
        }
        return .object(entry)
    }

    private func renewals(of subscriptions: [SandboxTransaction]) -> [AppleJSON] {
        let chains = Dictionary(grouping: subscriptions, by: \.originalID)
        return chains.sorted { $0.key < $1.key }.map { originalID, periods in
            let newest = periods.max { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
            let chain = self.chains[originalID] ?? SandboxSubscription(isRenewing: false)
            var entry: [String: AppleJSON] = [
                "original_transaction_id": .text(originalID),
                "product_id": .text(newest?.productID ?? ""),
                "auto_renew_product_id": .text(chain.nextProductID ?? newest?.productID ?? ""),
                "auto_renew_status": .text(chain.isRenewing ? "1" : "0"),
            ]
            if let intent = chain.expirationIntent(of: newest, at: self.now) {
                entry["expiration_intent"] = .text(String(intent))
                entry["is_in_billing_retry_period"] = .text(chain.isInBillingRetry ? "1" : "0")
            }
            if let graceEndsAt = chain.graceEndsAt, chain.isInBillingRetry {
                entry.add(graceEndsAt, as: "grace_period_expires_date")
            }
            return .object(entry)
        }
    }
}

extension SandboxSubscription {
    /// A Boolean value that indicates whether the store still tries to collect the price of a renewal.
    var isInBillingRetry: Bool { self.billingIssueSince != nil && self.expiredReason == nil }

    /// Returns the App Store's number for the reason why the paid period ended; nil while it runs or renews.
    func expirationIntent(of newest: SandboxTransaction?, at now: Date) -> Int? {
        guard let expiresAt = newest?.expiresAt, expiresAt <= now else { return nil }
        if self.billingIssueSince != nil { return 2 }
        return self.isRenewing ? nil : 1
    }
}
