import Foundation
import Stores
import Testing

@Suite
struct StoreFactTests {
    private func json(_ fact: StoreFact) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(fact), as: UTF8.self)
    }

    private var least: StoreFact {
        StoreFact(
            store: .appStore,
            environment: .sandbox,
            transactionID: "1",
            storeProductID: "p",
            kind: .oneTime,
            purchasedAt: Date(timeIntervalSince1970: 1_795_224_660),
            source: .receipt,
            sourceAt: Date(timeIntervalSince1970: 1_795_224_660.007)
        )
    }

    private var most: StoreFact {
        var fact = StoreFact(
            store: .playStore,
            environment: .production,
            transactionID: "GPA.1..0",
            storeProductID: "p",
            kind: .subscription,
            quantity: 10,
            ownership: .familyShared,
            purchasedAt: Date(timeIntervalSince1970: 0),
            source: .signedTransaction,
            sourceAt: Date(timeIntervalSince1970: 1)
        )
        fact.originalTransactionID = "0"
        fact.lineItemID = "5"
        fact.purchaseToken = "t/+"
        fact.orderID = "GPA.1"
        fact.appTransactionID = "a"
        fact.expiresAt = Date(timeIntervalSince1970: 2.5)
        fact.periodType = .trial
        fact.pending = true
        fact.upgraded = true
        fact.refundedMillionths = 333_333
        fact.refundedAt = Date(timeIntervalSince1970: 3)
        fact.willRenew = false
        fact.billingIssue = true
        fact.graceEndsAt = Date(timeIntervalSince1970: 4)
        fact.appAccountToken = UUID(uuidString: "ABCDEF00-0000-4000-8000-000000000001")
        fact.receiptSHA256 = "00ff"
        return fact
    }

    @Test
    func `unknown members are omitted`() throws {
        let text = try self.json(self.least)
        #expect(
            text == #"{"environment":"sandbox","kind":"one_time","ownership":"purchased","pending":false,"#
                + #""purchased_at":"2026-11-21T01:31:00.000Z","quantity":1,"source":"receipt","#
                + #""source_at":"2026-11-21T01:31:00.007Z","store":"app_store","store_product_id":"p","#
                + #""transaction_id":"1","upgraded":false}"#
        )
    }

    @Test
    func `every member has the key that the database expects`() throws {
        let text = try self.json(self.most)
        #expect(
            text == #"{"app_account_token":"abcdef00-0000-4000-8000-000000000001","app_transaction_id":"a","#
                + #""billing_issue":true,"environment":"production","expires_at":"1970-01-01T00:00:02.500Z","#
                + #""grace_ends_at":"1970-01-01T00:00:04.000Z","kind":"subscription","line_item_id":"5","#
                + #""order_id":"GPA.1","original_transaction_id":"0","ownership":"family_shared","pending":true,"#
                + #""period_type":"trial","purchase_token":"t/+","purchased_at":"1970-01-01T00:00:00.000Z","quantity":10,"#
                + #""receipt_sha256":"00ff","refunded_at":"1970-01-01T00:00:03.000Z","refunded_millionths":333333,"#
                + #""source":"signed_transaction","source_at":"1970-01-01T00:00:01.000Z","store":"play_store","#
                + #""store_product_id":"p","transaction_id":"GPA.1..0","upgraded":true,"will_renew":false}"#
        )
    }

    @Test
    func `a fact round-trips with any coding strategies`() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        for fact in [self.least, self.most] {
            #expect(try JSONDecoder().decode(StoreFact.self, from: encoder.encode(fact)) == fact)
        }
    }

    @Test
    func `an unknown store is preserved`() throws {
        let text = try self.json(self.least).replacingOccurrences(of: "app_store", with: "stall")
        let fact = try JSONDecoder().decode(StoreFact.self, from: Data(text.utf8))
        #expect(fact.store == StoreName(rawValue: "stall"))
    }

    @Test
    func `an invalid instant is refused`() throws {
        let text = try self.json(self.least).replacingOccurrences(of: "2026-11-21T01:31:00.000Z", with: "yesterday")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StoreFact.self, from: Data(text.utf8))
        }
    }

    @Test
    func `an instant out of range is written as the nearest valid one`() throws {
        var fact = self.least
        fact.purchasedAt = Date(timeIntervalSince1970: 1e30)
        #expect(try self.json(fact).contains("9999-12-31T23:59:59.999Z"))
        fact.purchasedAt = Date(timeIntervalSince1970: -1e30)
        #expect(try self.json(fact).contains("\"purchased_at\":\"0001-"))
    }

    @Test
    func `milliseconds round-trip through text`() throws {
        var fact = self.least
        for step in 0..<20_000 {
            let milliseconds = 1_600_000_000_000 + Int64(step) * 15_790_321
            fact.purchasedAt = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
            let text = try self.json(fact)
            let expected = String(1_000 + milliseconds % 1_000).dropFirst()
            #expect(text.contains(".\(expected)Z\",\"quantity\""))
            #expect(try JSONDecoder().decode(StoreFact.self, from: Data(text.utf8)) == fact)
        }
    }

    @Test
    func `instants before 1970 keep their milliseconds`() throws {
        var fact = self.least
        fact.purchasedAt = Date(timeIntervalSince1970: -0.25)
        #expect(try self.json(fact).contains("1969-12-31T23:59:59.750Z"))
    }
}
