import Crypto
import Foundation
import Hummingbird
import JSON
import NIOCore
import Synchronization

extension SandboxStores {
    private static let largestRequest = 16 * 1_024 * 1_024

    func addVerificationRoutes(to router: Router<SandboxContext>) {
        self.addVerification(of: .production, at: "verifyReceipt", to: router)
        self.addVerification(of: .sandbox, at: "sandbox/verifyReceipt", to: router)
        router.get("sandbox/calls") { _, _ in self.calls.counts }
    }

    private func addVerification(
        of side: SandboxTransaction.Environment,
        at path: RouterPath,
        to router: Router<SandboxContext>
    ) {
        router.post(path) { request, context in
            self.calls.count(side)
            let body = try await request.body.collect(upTo: Self.largestRequest)
            if let fault = self.faults.next(for: .receipt, side: side),
                let response = try await fault.apply(in: context)
            {
                return response
            }
            let request = try? JSONDecoder().decode(VerificationRequest.self, external: Data(body.readableBytesView))
            let answer = await self.ledger.verify(request, on: side, sharedSecret: self.configuration.sharedSecret)
            return Response.apple(answer)
        }
        router.get(path) { _, _ in Response.apple(SandboxLedger.status(21_000)) }
    }
}

/// Counts the calls of the verification endpoint since the start of the stores.
final class CallCounter: Sendable {
    /// The number of calls per store environment.
    struct Counts: ResponseEncodable, Sendable {
        var production = 0
        var sandbox = 0
    }

    private let state = Mutex(Counts())

    var counts: Counts { self.state.withLock { $0 } }

    func count(_ side: SandboxTransaction.Environment) {
        self.state.withLock { counts in
            switch side {
            case .production: counts.production += 1
            case .sandbox: counts.sandbox += 1
            }
        }
    }
}

/// The request of an app server to the verification endpoint.
struct VerificationRequest: Decodable, Sendable {
    let receiptData: String?
    let password: String?

    private enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case password
    }
}

extension SandboxLedger {
    /// Answers a request to the verification endpoint of one environment, with the store's own statuses.
    /// - Parameters:
    ///   - request: The request; nil if it could not be read.
    ///   - side: The called environment.
    ///   - sharedSecret: The app's secret, nil if it has none.
    /// - Returns: The answer's body.
    func verify(
        _ request: VerificationRequest?,
        on side: SandboxTransaction.Environment,
        sharedSecret: String?
    ) -> JSONValue {
        guard
            let text = request?.receiptData,
            let token = Data(base64Encoded: text)?.base64EncodedString(), !token.isEmpty
        else { return Self.status(21_002) }
        guard let receipt = self.state.tokens[token].flatMap({ self.state.receipts[$0] }) else {
            return Self.status(21_003)
        }
        guard receipt.environment == side else { return Self.status(side == .production ? 21_007 : 21_008) }
        let transactions = receipt.transactionIDs.compactMap { self.state.transactions[$0] }
        guard Self.accepts(request?.password, for: transactions, sharedSecret: sharedSecret) else {
            return Self.status(21_004)
        }
        return VerificationAnswer(
            receipt: receipt,
            transactions: transactions,
            chains: self.state.chains,
            token: token,
            now: self.now
        ).body
    }

    /// A wrong secret is always refused; a missing one is refused only for receipts with subscriptions.
    private static func accepts(
        _ password: String?,
        for transactions: [SandboxTransaction],
        sharedSecret: String?
    ) -> Bool {
        guard let sharedSecret else { return true }
        if let password { return SharedSecret.isSame(password, as: sharedSecret) }
        return !transactions.contains { $0.kind == .subscription }
    }

    /// Returns an answer that contains only a status.
    static func status(_ status: Int, isRetryable: Bool? = nil) -> JSONValue {
        var body: [String: JSONValue] = ["status": .integer(status)]
        if let isRetryable { body["is-retryable"] = .bool(isRetryable) }
        return .object(body)
    }
}

/// A secret that callers of a store must present.
enum SharedSecret {
    /// Compares digests, so that the comparison time does not reveal a partial match.
    static func isSame(_ given: String, as right: String) -> Bool {
        SHA256.hash(data: Data(given.utf8)) == SHA256.hash(data: Data(right.utf8))
    }
}

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
    var body: JSONValue {
        let shown = self.transactions.filter(\.isShown)
        let subscriptions = shown.filter { $0.kind == .subscription }
        var body: [String: JSONValue] = [
            "status": .integer(0),
            "environment": AppStoreWriter.name(of: self.receipt.environment),
            "receipt": self.receiptObject(showing: shown),
        ]
        if !subscriptions.isEmpty || shown.contains(where: { $0.appAccountToken != nil }) {
            let newestFirst = shown.sorted { $0.purchasedAt > $1.purchasedAt }
            body["latest_receipt_info"] = .array(newestFirst.map { self.entry(of: $0, isLatest: true) })
        }
        if !subscriptions.isEmpty {
            body["latest_receipt"] = .text(self.token)
            body["pending_renewal_info"] = .array(self.renewals(of: subscriptions))
        }
        return .object(body)
    }

    private func receiptObject(showing shown: [SandboxTransaction]) -> JSONValue {
        var object: [String: JSONValue] = [
            "receipt_type": .text(self.receipt.environment == .production ? "Production" : "ProductionSandbox"),
            "adam_id": .integer(0),
            "app_item_id": .integer(0),
            "bundle_id": .text(self.receipt.bundleID),
            "application_version": .text("1"),
            "original_application_version": .text("1.0"),
            "download_id": .integer(0),
            "version_external_identifier": .integer(0),
            "in_app": .array(shown.map { self.entry(of: $0, isLatest: false) }),
        ]
        object.add(self.receipt.createdAt, as: "receipt_creation_date")
        object.add(self.now, as: "request_date")
        object.add(shown.map(\.originalPurchasedAt).min() ?? self.receipt.createdAt, as: "original_purchase_date")
        return .object(object)
    }

    private func entry(of transaction: SandboxTransaction, isLatest: Bool) -> JSONValue {
        var entry: [String: JSONValue] = [
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
            if transaction.kind == .subscription {
                entry["subscription_group_identifier"] = .text(AppStoreWriter.subscriptionGroup)
            }
            if let token = transaction.appAccountToken { entry["app_account_token"] = .text(token) }
        }
        return .object(entry)
    }

    private func renewals(of subscriptions: [SandboxTransaction]) -> [JSONValue] {
        let chains = Dictionary(grouping: subscriptions, by: \.originalID)
        return chains.sorted { $0.key < $1.key }.map { originalID, periods in
            let newest = periods.max { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
            let chain = self.chains[originalID] ?? SandboxSubscription(isRenewing: false)
            var entry: [String: JSONValue] = [
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

extension [String: JSONValue] {
    /// Adds a date in the endpoint's three forms: GMT text, milliseconds, and Pacific time text.
    mutating func add(_ date: Date, as name: String) {
        self[name] = .text(Self.text(of: date, in: "Etc/GMT"))
        self[name + "_ms"] = .text(String(Int64((date.timeIntervalSince1970 * 1_000).rounded())))
        self[name + "_pst"] = .text(Self.text(of: date, in: "America/Los_Angeles"))
    }

    private static func text(of date: Date, in zone: String) -> String {
        var style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: TimeZone(identifier: zone) ?? .gmt)
        style = style.year().month().day().time(includingFractionalSeconds: false)
        return "\(date.formatted(style)) \(zone)"
    }
}
