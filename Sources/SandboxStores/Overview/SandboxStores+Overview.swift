import HTTPTypes
import Hummingbird
import Mustache
import NIOCore

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
