import Hummingbird

import struct Foundation.Date

/// The products, the sales and the controls of the stores.
struct SandboxOverview: ResponseEncodable {
    struct Product: Encodable {
        let productId: String
        let playStoreProductId: String?
        /// The id of the product in the catalogue.
        let catalogueId: String?
        let kind: String
    }

    struct Purchase: Encodable {
        let transactionId: String
        let originalTransactionId: String
        let store: String
        let environment: String
        let userId: String
        let productId: String
        let purchasedAt: String
        let expiresAt: String?
        let refundedAt: String?
        let pending: Bool
    }

    struct Subscription: Encodable {
        let originalTransactionId: String
        let store: String
        let userId: String
        let productId: String
        let status: String
        let expiresAt: String?
    }

    /// The number of purchases in the list.
    static let purchasesListed = 100

    let now: String
    let offsetSeconds: Int
    let controls: [SandboxControl]
    let products: [Product]
    let subscriptions: [Subscription]
    /// The latest purchases, newest first.
    let purchases: [Purchase]
}

extension SandboxLedger {
    /// The overview of products, sales and controls.
    var overview: SandboxOverview {
        let now = self.now
        return SandboxOverview(
            now: now.formatted(.iso8601),
            offsetSeconds: self.offsetSeconds,
            controls: SandboxControl.all,
            products: self.productsForSale.map(SandboxOverview.Product.init),
            subscriptions: self.state.chains.sorted { $0.key > $1.key }.compactMap { id, subscription in
                guard let period = self.state.periods(of: id).last else { return nil }
                return SandboxOverview.Subscription(
                    originalTransactionId: id,
                    store: period.store.rawValue,
                    userId: self.state.customer(of: period),
                    productId: period.productID,
                    status: subscription.status(at: now, in: period).rawValue,
                    expiresAt: period.expiresAt?.formatted(.iso8601)
                )
            },
            purchases: self.state.transactions.values
                .sorted { ($0.purchasedAt, $0.id) > ($1.purchasedAt, $1.id) }
                .prefix(SandboxOverview.purchasesListed)
                .map(SandboxOverview.Purchase.init)
        )
    }
}

extension SandboxOverview.Product {
    fileprivate init(_ product: SandboxProduct) {
        self.init(
            productId: product.storeProductID,
            playStoreProductId: product.playStoreProductID,
            catalogueId: product.alias,
            kind: product.kind.rawValue
        )
    }
}

extension SandboxOverview.Purchase {
    fileprivate init(_ transaction: SandboxTransaction) {
        self.init(
            transactionId: transaction.id,
            originalTransactionId: transaction.originalID,
            store: transaction.store.rawValue,
            environment: transaction.environment.rawValue,
            userId: transaction.userID,
            productId: transaction.productID,
            purchasedAt: transaction.purchasedAt.formatted(.iso8601),
            expiresAt: transaction.expiresAt?.formatted(.iso8601),
            refundedAt: transaction.cancelledAt?.formatted(.iso8601),
            pending: transaction.isPending
        )
    }
}

extension SandboxSubscription {
    /// The status of a subscription in the overview.
    fileprivate enum Status: String {
        case active
        /// Paid until the period ends, and not renewed afterwards.
        case cancelled
        case inGrace = "in_grace"
        case billingIssue = "billing_issue"
        case paused
        case expired
    }

    fileprivate func status(at now: Date, in period: SandboxTransaction) -> Status {
        if self.expiredAt != nil || period.isUndone { return .expired }
        if self.isPaused(at: now) { return .paused }
        if self.isInGrace(at: now) { return .inGrace }
        if self.billingIssueSince != nil { return .billingIssue }
        return self.isRenewing ? .active : .cancelled
    }
}
