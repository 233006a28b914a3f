import Foundation
import SandboxStores
import Testing

@Suite
struct PlayProductTests {
    @Test
    func `a purchase is returned in both formats`() async throws {
        try await Faces.run { faces in
            let account = "0f9e8d7c-0000-4000-8000-00000000000a"
            let sale = try await faces.buy(starter, ["quantity": 3, "app_account_token": account])
            let token = try #require(sale.text("purchase_token"))
            let publisher = try await faces.publisher()
            let old = try await publisher.get("products/\(starter)/tokens/\(token)")
            #expect(old.text("kind") == "androidpublisher#productPurchase")
            #expect(old.number("purchaseState") == 0)
            #expect(old.number("consumptionState") == 0)
            #expect(old.number("acknowledgementState") == 0)
            #expect(old.number("quantity") == 3)
            #expect(old.text("orderId") == sale.text("transaction_id"))
            #expect(old.text("obfuscatedExternalAccountId") == account)
            #expect(old.text("purchaseTimeMillis").flatMap(Int64.init) != nil)
            #expect(old.json["purchaseType"] == nil)
            let new = try await publisher.get("productsv2/tokens/\(token)")
            #expect(new.object("purchaseStateContext")?.text("purchaseState") == "PURCHASED")
            #expect(new.text("acknowledgementState") == "ACKNOWLEDGEMENT_STATE_PENDING")
            #expect(new.text("orderId") == sale.text("transaction_id"))
            let item = try #require(new.list("productLineItem").first)
            #expect(item.text("productId") == starter)
            #expect(item.object("productOfferDetails")?.number("quantity") == 3)
            #expect(item.object("productOfferDetails")?.number("refundableQuantity") == 3)
        }
    }

    @Test
    func `test purchases and pending purchases are marked`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(starter, ["environment": "sandbox", "pending": true])
            let token = try #require(sale.text("purchase_token"))
            let publisher = try await faces.publisher()
            let pending = try await publisher.get("products/\(starter)/tokens/\(token)")
            #expect(pending.number("purchaseState") == 2)
            #expect(pending.number("purchaseType") == 0)
            #expect(pending.json["orderId"] == nil)
            #expect(try await publisher.post("products/\(starter)/tokens/\(token):acknowledge").status == 400)
            #expect(try await publisher.post("products/\(starter)/tokens/\(token):consume").status == 400)
            try await faces.control("transactions/\(try #require(sale.text("transaction_id")))/complete")
            let paid = try await publisher.get("productsv2/tokens/\(token)")
            #expect(paid.object("purchaseStateContext")?.text("purchaseState") == "PURCHASED")
            #expect(paid.text("orderId") == sale.text("transaction_id"))
            #expect(paid.object("testPurchaseContext") != nil)
        }
    }

    @Test
    func `a purchase is acknowledged once and consumed once`() async throws {
        try await Faces.run { faces in
            let token = try #require(try await faces.buy(starter).text("purchase_token"))
            let publisher = try await faces.publisher()
            let path = "products/\(starter)/tokens/\(token)"
            #expect(try await publisher.post("\(path):acknowledge").status == 204)
            #expect(try await publisher.get(path).number("acknowledgementState") == 1)
            let again = try await publisher.post("\(path):acknowledge")
            #expect(again.status == 400)
            #expect(again.reason == "invalidPurchaseState")
            #expect(try await publisher.post("\(path):consume").status == 204)
            #expect(try await publisher.get(path).number("consumptionState") == 1)
            let consumed = try await publisher.post("\(path):consume")
            #expect(consumed.status == 400)
            #expect(consumed.reason == "productNotOwnedByUser")
        }
    }

    @Test
    func `consuming acknowledges`() async throws {
        try await Faces.run { faces in
            let token = try #require(try await faces.buy(starter).text("purchase_token"))
            let publisher = try await faces.publisher()
            #expect(try await publisher.post("products/\(starter)/tokens/\(token):consume").status == 204)
            #expect(try await publisher.get("products/\(starter)/tokens/\(token)").number("acknowledgementState") == 1)
            #expect(try await publisher.post("products/\(starter)/tokens/\(token):acknowledge").status == 400)
        }
    }

    @Test
    func `a refunded purchase is cancelled and has no owner`() async throws {
        try await Faces.run { faces in
            let sale = try await faces.buy(starter)
            let path = "products/\(starter)/tokens/\(try #require(sale.text("purchase_token")))"
            try await faces.control("transactions/\(try #require(sale.text("transaction_id")))/refund")
            let publisher = try await faces.publisher()
            #expect(try await publisher.get(path).number("purchaseState") == 1)
            for verb in ["acknowledge", "consume"] {
                let answer = try await publisher.post("\(path):\(verb)")
                #expect(answer.status == 400)
                #expect(answer.reason == "productNotOwnedByUser")
            }
        }
    }

    @Test
    func `a token that is unknown or of another product is refused`() async throws {
        try await Faces.run { faces in
            let token = try #require(try await faces.buy(starter).text("purchase_token"))
            let plan = try #require(try await faces.buy(premium).text("purchase_token"))
            let publisher = try await faces.publisher()
            #expect(try await publisher.get("products/\(season)/tokens/\(token)").status == 400)
            #expect(try await publisher.get("products/\(starter)/tokens/unknown").status == 404)
            #expect(try await publisher.get("productsv2/tokens/\(plan)").status == 404)
            #expect(try await publisher.get("subscriptionsv2/tokens/\(token)").status == 404)
            #expect(try await publisher.post("products/\(starter)/tokens/\(token):refund").status == 404)
        }
    }
}
