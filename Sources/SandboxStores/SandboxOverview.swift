import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

import struct Foundation.Date

extension SandboxStores {
    /// Adds `GET /sandbox` for programs and `GET /` for browsers, with the same content.
    func addOverviewRoutes(to router: Router<SandboxContext>) {
        router.get("sandbox") { _, _ in await self.ledger.overview }
        router.get("/") { _, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                    .contentSecurityPolicy: "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
                ],
                body: ResponseBody(byteBuffer: ByteBuffer(string: self.page.render(await self.ledger.overview)))
            )
        }
    }
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

/// A control in the overview.
struct SandboxControl: Encodable {
    let method: String
    let path: String
    let does: String

    private init(_ method: String, _ path: String, _ does: String) {
        self.method = method
        self.path = path
        self.does = does
    }

    /// All controls; a test calls each of them.
    static let all = [
        SandboxControl("GET", "/sandbox", "lists controls, products, subscriptions and the latest purchases"),
        SandboxControl("POST", "/sandbox/purchases", "buys a product for a user: {\"user_id\", \"product_id\"}"),
        SandboxControl("POST", "/sandbox/receipts", "creates a receipt for the given transactions"),
        SandboxControl("GET", "/sandbox/transactions/{id}", "returns a purchase"),
        SandboxControl(
            "POST",
            "/sandbox/transactions/{id}/{step}",
            "changes a purchase: \(SandboxStores.transactionSteps.joined(separator: ", "))"
        ),
        SandboxControl(
            "POST",
            "/sandbox/subscriptions/{original_transaction_id}/{step}",
            "changes a subscription: \(SandboxStores.subscriptionSteps.joined(separator: ", "))"
        ),
        SandboxControl("GET", "/sandbox/clock", "returns the clock"),
        SandboxControl(
            "POST",
            "/sandbox/clock",
            "moves the clock forward: {\"advance_seconds\"}; renews due subscriptions"
        ),
        SandboxControl("POST", "/sandbox/faults", "makes the next calls of a store fail: {\"target\"}"),
        SandboxControl("DELETE", "/sandbox/faults", "removes the faults"),
        SandboxControl("GET", "/sandbox/notifications", "lists the notifications sent to the wallet"),
        SandboxControl("POST", "/sandbox/notifications", "turns notifications on or off: {\"enabled\"}"),
        SandboxControl("POST", "/sandbox/notifications/{id}/redeliver", "sends a notification again"),
        SandboxControl("POST", "/sandbox/app-transactions", "signs the app transaction of a user: {\"user_id\"}"),
        SandboxControl("GET", "/sandbox/consumptions", "lists the reported consumption"),
        SandboxControl("GET", "/sandbox/refund-reviews", "lists the responses to refund reviews"),
        SandboxControl("GET", "/sandbox/calls", "counts the calls of the verification endpoint"),
        SandboxControl("GET", "/sandbox/root.cer", "returns the root certificate of the App Store's signatures"),
    ]
}

extension SandboxStores {
    /// The template of the page; the template library escapes the values.
    static let pageText = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <title>Sandbox stores</title>
        </head>
        <body>
        <h1>Sandbox stores</h1>
        <p>An App Store, a Google Play and a RevenueCat for development: real protocols, no money. It is {{now}} here,
        {{offsetSeconds}} seconds ahead of the machine. <a href="/sandbox">The same as JSON</a>; deploy/sandbox.md says
        what each control takes.</p>
        <h2>Controls</h2>
        <table>
        <tr><th>Method<th>Path<th>What it does
        {{#controls}}
        <tr><td>{{method}}<td><code>{{path}}</code><td>{{does}}
        {{/controls}}
        </table>
        <h2>Products</h2>
        <table>
        <tr><th>Product<th>At Google Play<th>In the catalogue<th>Kind
        {{#products}}
        <tr><td>{{productId}}<td>{{playStoreProductId}}<td>{{catalogueId}}<td>{{kind}}
        {{/products}}
        </table>
        <h2>Subscriptions</h2>
        <table>
        <tr><th>Original transaction<th>Store<th>User<th>Product<th>Status<th>Paid until
        {{#subscriptions}}
        <tr><td>{{originalTransactionId}}<td>{{store}}<td>{{userId}}<td>{{productId}}<td>{{status}}<td>{{expiresAt}}
        {{/subscriptions}}
        {{^subscriptions}}
        <tr><td colspan="6">none
        {{/subscriptions}}
        </table>
        <h2>Latest purchases</h2>
        <table>
        <tr><th>Transaction<th>Store<th>User<th>Product<th>Bought<th>Refunded
        {{#purchases}}
        <tr><td>{{transactionId}}<td>{{store}}<td>{{userId}}<td>{{productId}}<td>{{purchasedAt}}<td>{{refundedAt}}
        {{/purchases}}
        {{^purchases}}
        <tr><td colspan="6">none
        {{/purchases}}
        </table>
        </body>
        </html>

        """
}
