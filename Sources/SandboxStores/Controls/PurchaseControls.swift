import Foundation
import Hummingbird
import Logging

extension SandboxStores {
    private struct NewPurchase: Decodable {
        let userId: String
        let productId: String
        let furtherProductIds: [String]?
        let quantity: Int?
        let environment: String?
        let store: String?
        let bundleId: String?
        let ownership: String?
        let isTrial: Bool?
        let billingPlan: String?
        let pending: Bool?
        let appAccountToken: String?
        let priceMilliunits: Int?
        let currency: String?
        let separate: Bool?
    }

    private struct NewReceipt: Decodable {
        let transactionIds: [String]
    }

    func addPurchaseRoutes(to router: Router<SandboxContext>) {
        let purchases = router.group("sandbox/purchases").add(middleware: CatalogueMiddleware(ledger: self.ledger))
        purchases.post { request, context in
            let new = try await request.control(NewPurchase.self, context)
            return try await self.notify(try await self.ledger.buy(self.purchase(from: new)))
        }
        router.post("sandbox/receipts") { request, context in
            let new = try await request.control(NewReceipt.self, context)
            return ["receipt": try await self.ledger.makeReceipt(of: new.transactionIds)]
        }
    }

    private func purchase(from new: NewPurchase) throws -> Purchase {
        guard !new.userId.isEmpty else { throw ControlRefusal.invalid("The member \"user_id\" must not be empty.") }
        let quantity = new.quantity ?? 1
        guard (1...10).contains(quantity) else {
            throw ControlRefusal.member("quantity", "must be from 1 to 10", received: "\(quantity)")
        }
        guard let environment = SandboxTransaction.Environment(rawValue: new.environment ?? "production") else {
            throw ControlRefusal.member("environment", "must be production or sandbox", received: new.environment ?? "")
        }
        guard ["purchased", "family_shared"].contains(new.ownership ?? "purchased") else {
            throw ControlRefusal.member(
                "ownership",
                "must be purchased or family_shared",
                received: new.ownership ?? ""
            )
        }
        guard ["upfront", "monthly"].contains(new.billingPlan ?? "upfront") else {
            throw ControlRefusal.member("billing_plan", "must be upfront or monthly", received: new.billingPlan ?? "")
        }
        let store = try Self.store(of: new)
        return Purchase(
            store: store,
            userID: new.userId,
            productID: new.productId,
            furtherProductIDs: new.furtherProductIds ?? [],
            quantity: quantity,
            environment: environment,
            bundleID: new.bundleId ?? self.configuration.bundleID,
            isTrial: new.isTrial ?? false,
            isBilledMonthly: new.billingPlan == "monthly",
            isFamilyShared: new.ownership == "family_shared",
            isPending: new.pending ?? false,
            appAccountToken: new.appAccountToken,
            priceMilliunits: new.priceMilliunits,
            currency: new.currency,
            isSeparate: new.separate ?? false
        )
    }

    private static func store(of new: NewPurchase) throws -> SandboxStore {
        guard let store = SandboxStore(rawValue: new.store ?? SandboxStore.appStore.rawValue) else {
            throw ControlRefusal.member("store", "must be app_store or play_store", received: new.store ?? "")
        }
        guard store == .appStore else { return store }
        if new.furtherProductIds?.isEmpty == false {
            throw ControlRefusal.invalid("Only a play_store purchase can have several products.")
        }
        if new.pending == true {
            throw ControlRefusal.invalid("Only a play_store purchase can be pending.")
        }
        if let token = new.appAccountToken, UUID(uuidString: token) == nil {
            throw ControlRefusal.member("app_account_token", "must be a UUID", received: token)
        }
        return store
    }
}

/// Reloads the catalogue before a control sells or renews, so that new products are available immediately.
struct CatalogueMiddleware: RouterMiddleware {
    let ledger: SandboxLedger

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        if request.method == .post {
            do {
                try await self.ledger.readCatalogue()
            } catch {
                // The stores keep selling while the wallet is down.
                context.logger.warning(
                    "the catalogue could not be read; the stores keep selling the previous one",
                    metadata: ["error": "\(error)"]
                )
            }
        }
        return try await next(request, context)
    }
}

/// The buyer, the product and the options of a purchase.
struct Purchase: Sendable {
    var store: SandboxStore
    var userID: String
    var productID: String
    /// Further products in the same purchase; Google Play only.
    var furtherProductIDs: [String] = []
    var quantity: Int
    var environment: SandboxTransaction.Environment
    var bundleID: String
    var isTrial: Bool
    /// The purchase is a commitment of a year that is billed monthly.
    var isBilledMonthly: Bool
    var isFamilyShared: Bool
    /// The purchase is not paid yet; Google Play only.
    var isPending: Bool
    var appAccountToken: String?
    var priceMilliunits: Int?
    var currency: String?
    /// The purchase gets a separate receipt instead of being added to the user's receipt.
    var isSeparate: Bool
}

extension SandboxLedger {
    /// Buys a product.
    /// - Parameter purchase: The buyer, the product and the options.
    /// - Returns: The transaction and, at the App Store, a receipt that contains it.
    /// - Throws: ``ControlRefusal`` for an unknown product or a subscription that is still running.
    func buy(_ purchase: Purchase) throws -> ControlOutcome {
        let product = try self.product(purchase.productID)
        guard !purchase.isBilledMonthly || product.kind == .subscription else {
            throw ControlRefusal.invalid("Only a subscription can be billed monthly.")
        }
        let further = try purchase.furtherProductIDs.map { id in
            let further = try self.product(id)
            guard (further.kind == .subscription) == (product.kind == .subscription) else {
                throw ControlRefusal.invalid("A purchase cannot combine subscriptions with other products.")
            }
            return further.id(at: purchase.store)
        }
        return try self.act { state, now in
            let earlier = try Self.endedPeriod(of: product, for: purchase, in: state, at: now)
            let id = state.nextTransactionID(of: purchase.store)
            var transaction = SandboxTransaction(id: id, of: product, purchase, at: now)
            transaction.appTransactionID =
                purchase.store == .appStore ? state.appTransactionID(for: transaction.receiptKey) : nil
            transaction.furtherProductIDs = further.isEmpty ? nil : further
            if let earlier { transaction.continueChain(of: earlier) }
            if product.kind == .subscription { state.beginChain(of: &transaction) }
            state.transactions[transaction.id] = transaction
            var step = Step(kind: Self.kind(of: transaction, after: earlier), transaction: transaction)
            step.previous = earlier
            return Deed(transaction, receipt: state.receipt(of: transaction, purchase, at: now), [step])
        }
    }

    /// Returns the newest period of the ended subscription that a purchase continues.
    ///
    /// At Google Play, every purchase creates a new subscription.
    private static func endedPeriod(
        of product: SandboxProduct,
        for purchase: Purchase,
        in state: SandboxState,
        at now: Date
    ) throws -> SandboxTransaction? {
        guard product.kind == .subscription else { return nil }
        let known = state.transactions.values
            .filter { $0.userID == purchase.userID && $0.productID == product.id(at: purchase.store) }
            .filter { $0.environment == purchase.environment && $0.bundleID == purchase.bundleID }
            .filter { $0.store == purchase.store && $0.abandonedAt == nil }
            .max { ($0.purchasedAt, $0.lineItemID ?? "") < ($1.purchasedAt, $1.lineItemID ?? "") }
        guard let known, let newest = state.periods(of: known.originalID).last else { return nil }
        if let expiresAt = newest.expiresAt, !newest.isUndone, expiresAt > now {
            throw ControlRefusal.conflict("This user's subscription \(newest.originalID) is still running.")
        }
        return purchase.store == .appStore ? newest : nil
    }

    private static func kind(
        of transaction: SandboxTransaction,
        after earlier: SandboxTransaction?
    ) -> SandboxEvent.Kind {
        if transaction.isPending { return .purchasePending }
        return earlier == nil ? .purchased : .resubscribed
    }

    /// Creates a separate receipt from transactions, which may belong to several users.
    func makeReceipt(of ids: [String]) throws -> String {
        let transactions = try ids.map(self.transaction)
        guard let first = transactions.first else {
            throw ControlRefusal.invalid("The member \"transaction_ids\" must not be empty.")
        }
        guard transactions.allSatisfy({ $0.environment == first.environment && $0.bundleID == first.bundleID }) else {
            throw ControlRefusal.invalid("All transactions of a receipt must have the same app and environment.")
        }
        guard transactions.allSatisfy({ $0.store == .appStore }) else {
            throw ControlRefusal.invalid("Only the App Store issues receipts.")
        }
        let now = self.now
        return try self.change { state in
            let key = "made:\(state.nextID())"
            for transaction in transactions {
                state.add(transaction, toReceipt: key, at: now)
            }
            return state.issueToken(for: key)
        }
    }
}

extension SandboxTransaction {
    init(id: String, of product: SandboxProduct, _ purchase: Purchase, at now: Date) {
        self.id = id
        self.originalID = id
        self.userID = purchase.userID
        self.productID = product.id(at: purchase.store)
        self.kind = product.kind
        self.quantity = purchase.quantity
        self.environment = purchase.environment
        self.bundleID = purchase.bundleID
        self.purchasedAt = now
        self.originalPurchasedAt = now
        if purchase.isBilledMonthly {
            self.billingPeriod = 1
            self.billingPeriods = Self.monthsOfYear
        }
        self.expiresAt = product.kind == .subscription ? now + product.length(inParts: self.billingPeriods) : nil
        self.isTrial = purchase.isTrial
        self.isFamilyShared = purchase.isFamilyShared
        self.appAccountToken = purchase.appAccountToken
        self.isFinished = false
        self.storeOfSale = purchase.store
        self.pendingSince = purchase.isPending ? now : nil
        self.priceMilliunits = purchase.priceMilliunits
        self.currency = purchase.currency
        self.purchaseToken = purchase.store == .googlePlay ? SandboxState.newPurchaseToken() : nil
        self.renewalNumber = product.kind == .subscription ? 0 : nil
    }

    private static let monthsOfYear = 12

    mutating func continueChain(of earlier: SandboxTransaction) {
        self.originalID = earlier.originalID
        self.originalPurchasedAt = earlier.originalPurchasedAt
        self.renewalNumber = (earlier.renewalNumber ?? 0) + 1
    }

    /// The key of the receipt on the buyer's device.
    var receiptKey: String {
        Self.receiptKey(of: self.userID, bundleID: self.bundleID, environment: self.environment)
    }

    static func receiptKey(of userID: String, bundleID: String, environment: Environment) -> String {
        "\(environment.rawValue):\(bundleID):\(userID)"
    }
}

extension SandboxState {
    /// Starts the chain of a subscription's first period, or of the first period after its end.
    fileprivate mutating func beginChain(of transaction: inout SandboxTransaction) {
        transaction.lineItemID = self.nextID()
        var chain = self.chains[transaction.originalID] ?? SandboxSubscription()
        chain.begin()
        chain.purchaseToken = transaction.purchaseToken
        self.chains[transaction.originalID] = chain
    }

    fileprivate mutating func receipt(
        of transaction: SandboxTransaction,
        _ purchase: Purchase,
        at now: Date
    ) -> String? {
        guard transaction.store == .appStore else { return nil }
        let key = purchase.isSeparate ? "single:\(transaction.id)" : transaction.receiptKey
        self.add(transaction, toReceipt: key, at: now)
        return self.issueToken(for: key)
    }

    mutating func add(_ transaction: SandboxTransaction, toReceipt key: String, at now: Date) {
        let empty = SandboxReceipt(
            environment: transaction.environment,
            bundleID: transaction.bundleID,
            createdAt: now,
            transactionIDs: []
        )
        self.receipts[key, default: empty].transactionIDs.append(transaction.id)
        self.receipts[key]?.createdAt = now
    }

    /// Returns a new token for a receipt: random bytes after a fixed prefix, in base64.
    mutating func issueToken(for key: String) -> String {
        var bytes = Data("sandbox-store-receipt:".utf8)
        bytes.append(contentsOf: (0..<48).map { _ in UInt8.random(in: .min ... .max) })
        let token = bytes.base64EncodedString()
        self.tokens[token] = key
        return token
    }
}
