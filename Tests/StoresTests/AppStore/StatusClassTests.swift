import Foundation
import Logging
import Stores
import Testing

@Suite
struct StatusClassTests {
    @Test
    func `a production receipt becomes one production fact`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy(starter, ["quantity": 3])
            let verified = try await sandbox.verifier().verify(receipt: sale.receipt)
            #expect(verified.environment == .production)
            #expect(verified.bundleID == appBundle)
            #expect(verified.skipped.isEmpty)
            let fact = try #require(verified.facts.first)
            #expect(verified.facts.count == 1)
            #expect(fact.store == .appStore)
            #expect(fact.environment == .production)
            #expect(fact.transactionID == sale.transactionID)
            #expect(fact.originalTransactionID == sale.originalTransactionID)
            #expect(fact.storeProductID == starter)
            #expect(fact.kind == .oneTime)
            #expect(fact.quantity == 3)
            #expect(fact.ownership == .purchased)
            #expect(fact.expiresAt == nil)
            #expect(fact.periodType == nil)
            #expect(fact.refundedMillionths == nil)
            #expect(fact.source == .receipt)
            #expect(fact.sourceAt == verified.requestedAt)
            #expect(fact.receiptSHA256 == verified.receiptSHA256)
            #expect(verified.receiptSHA256.count == 64)
            try await sandbox.expectCalls(production: 1, sandbox: 0)
        }
    }

    @Test
    func `21007 redirects a test receipt to the sandbox`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy(starter, ["environment": "sandbox"])
            let verified = try await sandbox.verifier().verify(receipt: sale.receipt)
            #expect(verified.environment == .sandbox)
            #expect(verified.facts.map(\.environment) == [.sandbox])
            try await sandbox.expectCalls(production: 1, sandbox: 1)
        }
    }

    @Test
    func `21008 redirects a production receipt back to production`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": 21_007, "environment": "production"])
            let verified = try await sandbox.verifier().verify(receipt: sale.receipt)
            #expect(verified.environment == .production)
            try await sandbox.expectCalls(production: 2, sandbox: 1)
        }
    }

    @Test
    func `a redirect loop between the two sides is an outage`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": 21_007, "environment": "production", "count": 10])
            let error = await sandbox.verifier().refusal(of: sale.receipt)
            #expect(error?.code == .unavailable)
            try await sandbox.expectCalls(production: 2, sandbox: 1)
        }
    }

    @Test
    func `21002 once is retried`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": 21_002])
            #expect(try await sandbox.verifier().verify(receipt: sale.receipt).facts.count == 1)
            try await sandbox.expectCalls(production: 2, sandbox: 0)
        }
    }

    @Test
    func `21002 twice is a rejection`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": 21_002, "count": 2])
            let error = await sandbox.verifier().refusal(of: sale.receipt)
            #expect(error?.code == .rejected)
            #expect(error?.storeStatus == 21_002)
            try await sandbox.expectCalls(production: 2, sandbox: 0)
        }
    }

    @Test(arguments: [21_005, 21_009, 21_100, 21_150, 21_199])
    func `a temporary failure is retried`(status: Int) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": status, "count": 2])
            #expect(try await sandbox.verifier().verify(receipt: sale.receipt).facts.count == 1)
            try await sandbox.expectCalls(production: 3, sandbox: 0)
        }
    }

    @Test(arguments: [21_005, 21_009, 21_100])
    func `a failure that persists is an outage after three attempts`(status: Int) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": status, "count": 50])
            let error = await sandbox.verifier().refusal(of: sale.receipt)
            #expect(error?.code == .unavailable)
            #expect(error?.storeStatus == status)
            #expect(error?.retryAfter == 5)
            try await sandbox.expectCalls(production: 3, sandbox: 0)
        }
    }

    @Test
    func `an internal failure marked as permanent is a rejection`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": 21_150, "is_retryable": false])
            let error = await sandbox.verifier().refusal(of: sale.receipt)
            #expect(error?.code == .rejected)
            #expect(error?.storeStatus == 21_150)
            try await sandbox.expectCalls(production: 1, sandbox: 0)
        }
    }

    @Test(arguments: [21_001, 21_003, 21_006, 21_010, 21_042])
    func `a permanent refusal or an unknown status is an immediate rejection`(status: Int) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": status])
            let error = await sandbox.verifier().refusal(of: sale.receipt)
            #expect(error?.code == .rejected)
            #expect(error?.storeStatus == status)
            try await sandbox.expectCalls(production: 1, sandbox: 0)
        }
    }

    @Test(arguments: [21_000, 21_004])
    func `a configuration error is logged and does not reject the receipt`(status: Int) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            let verifier = sandbox.verifier(sharedSecret: "the-secret")
            try await sandbox.fault(["status": status])
            let error = await verifier.refusal(of: sale.receipt)
            #expect(error?.code == .misconfigured)
            #expect(error?.storeStatus == status)
            #expect(sandbox.logs.lines.contains { $0.level == .error && $0.text.contains("\(status)") })
            #expect(!sandbox.logs.lines.contains { $0.text.contains(sale.receipt) || $0.text.contains("the-secret") })
            #expect(try await verifier.verify(receipt: sale.receipt).facts.count == 1)
        }
    }

    @Test
    func `the shared secret is sent with the receipt`() async throws {
        try await Sandbox.run(sharedSecret: "right") { sandbox in
            let sale = try await sandbox.buy(monthly)
            #expect(try await sandbox.verifier(sharedSecret: "right").verify(receipt: sale.receipt).facts.count == 1)
            #expect(await sandbox.verifier(sharedSecret: "wrong").refusal(of: sale.receipt)?.code == .misconfigured)
            #expect(await sandbox.verifier().refusal(of: sale.receipt)?.code == .misconfigured)
        }
    }

    @Test
    func `a receipt that the store did not issue is rejected`() async throws {
        try await Sandbox.run { sandbox in
            let error = await sandbox.verifier().refusal(of: someReceipt)
            #expect(error?.code == .rejected)
            #expect(error?.storeStatus == 21_003)
        }
    }

    @Test
    func `an ended old-style subscription is valid with its content, else rejected`() async throws {
        let content =
            #"{"status":21006,"receipt":{"bid":"com.example.app","product_id":"p","transaction_id":"1","#
            + #""purchase_date_ms":"1000","expires_date":"2000","quantity":"1"}}"#
        try await CannedStore.read(content) { outcome in
            let fact = try #require(try outcome.get().facts.first)
            #expect(fact.kind == .subscription)
            #expect(fact.expiresAt == Date(timeIntervalSince1970: 2))
        }
        try await CannedStore.read(#"{"status":21006}"#) { outcome in
            #expect(throws: StoreError.self) { try outcome.get() }
        }
    }
}
