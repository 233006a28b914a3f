import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import SandboxStores
import SwiftASN1
import Testing
import X509

@Suite
struct SigningTests {
    @Test
    func `a purchase returns a signed transaction that chains to the root`() async throws {
        try await Stores.run { stores async throws in
            let token = "0F9E8D7C-0000-4000-8000-00000000000A"
            let sale = try await stores.buy(starter, ["quantity": 3, "app_account_token": token])
            let signed = try SignedData(sale.text("signed_transaction"), root: stores.root).payload
            #expect(signed.text("transactionId") == sale.text("transaction_id"))
            #expect(signed.text("bundleId") == "com.example.app")
            #expect(signed.text("productId") == starter)
            #expect(signed.number("quantity") == 3)
            #expect(signed.text("type") == "Consumable")
            #expect(signed.text("environment") == "Production")
            #expect(signed.text("inAppOwnershipType") == "PURCHASED")
            #expect(signed.text("appAccountToken") == token.lowercased())
            #expect(signed.number("expiresDate") == nil)
            #expect(sale.text("purchase_token") == nil)
        }
    }

    @Test
    func `the chain is valid under RFC 5280, now and in twenty years`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy()
            let chain = try SignedData(sale.text("signed_transaction"), root: stores.root).certificates
            let roots = CertificateStore([try Certificate(derEncoded: Array(stores.root))])
            var verifier = Verifier(rootCertificates: roots) { RFC5280Policy() }
            let result = await verifier.validate(leaf: chain[0], intermediates: CertificateStore([chain[1]]))
            guard case .validCertificate(let path) = result else {
                Issue.record("the chain is not valid")
                return
            }
            #expect(Array(path) == chain)
            for certificate in chain {
                #expect(certificate.notValidBefore < Date(timeIntervalSince1970: 1_430_000_000))
                #expect(certificate.notValidAfter > Date(timeIntervalSinceNow: 20 * 366 * 86_400))
            }
        }
    }

    @Test
    func `a subscription's period has the store's data`() async throws {
        try await Stores.run { stores async throws in
            let sale = try await stores.buy(monthly, ["is_trial": true, "environment": "sandbox"])
            let original = try #require(sale.text("original_transaction_id"))
            let first = try SignedData(sale.text("signed_transaction"), root: stores.root).payload
            let renewal = try await stores.step("subscriptions/\(original)/renew")
            let second = try SignedData(renewal.text("signed_transaction"), root: stores.root).payload
            #expect(first.text("environment") == "Sandbox")
            #expect(first.text("offerDiscountType") == "FREE_TRIAL")
            #expect(first.text("transactionReason") == "PURCHASE")
            #expect(second.text("transactionReason") == "RENEWAL")
            #expect(second.json["offerType"] == nil)
            #expect(second.number("purchaseDate") == first.number("expiresDate"))
            #expect(second.text("originalTransactionId") == original)
            #expect(second.text("webOrderLineItemId") != first.text("webOrderLineItemId"))
            #expect(second.text("appTransactionId") == first.text("appTransactionId"))
        }
    }

    @Test(arguments: [(100, "REFUND_FULL", 100_000), (40, "REFUND_PRORATED", 40_000)])
    func `a refund is reported with its percentage`(percentage: Int, type: String, milliunits: Int) async throws {
        try await Stores.run { stores async throws in
            let id = try #require(try await stores.buy().text("transaction_id"))
            let refunded = try await stores.step("transactions/\(id)/refund", ["percentage": percentage])
            let signed = try SignedData(refunded.text("signed_transaction"), root: stores.root).payload
            #expect(signed.text("revocationType") == type)
            #expect(signed.number("revocationPercentage") == milliunits)
            #expect(signed.number("revocationDate") != nil)
            let again = try await stores.step("transactions/\(id)/refund-reverse")
            let restored = try SignedData(again.text("signed_transaction"), root: stores.root).payload
            #expect(restored.json["revocationDate"] == nil)
        }
    }

    @Test
    func `an app transaction has the same id as the user's purchases`() async throws {
        try await Stores.run { stores async throws in
            let sale = try SignedData(try await stores.buy().text("signed_transaction"), root: stores.root).payload
            let answer = try await stores.post("/sandbox/app-transactions", ["user_id": "ann"])
            let copy = try SignedData(answer.text("app_transaction"), root: stores.root).payload
            #expect(copy.text("appTransactionId") == sale.text("appTransactionId"))
            #expect(copy.text("receiptType") == "Production")
            let other = try await stores.post("/sandbox/app-transactions", ["user_id": "bob"])
            let bobs = try SignedData(other.text("app_transaction"), root: stores.root).payload
            #expect(bobs.text("appTransactionId") != copy.text("appTransactionId"))
            #expect(try await stores.post("/sandbox/app-transactions", ["user_id": ""]).status == 400)
        }
    }

    @Test
    func `the root certificate can be downloaded`() async throws {
        try await Stores.run { stores async throws in
            try await stores.client.execute(uri: "/sandbox/root.cer", method: .get) { response in
                #expect(Data(response.body.readableBytesView) == stores.root)
                #expect(response.headers[.contentType] == "application/pkix-cert")
            }
        }
    }
}
