import Foundation
import SandboxStores
import Testing

@Suite
struct VerificationTests {
    @Test
    func `each side redirects the other side's receipts`() async throws {
        try await Stores.run { stores async throws in
            let real = try await stores.buy().text("receipt")
            let test = try await stores.buy(starter, ["environment": "sandbox"]).text("receipt")
            #expect(try await stores.verify(real).number("status") == 0)
            #expect(try await stores.verify(test).number("status") == 21_007)
            #expect(try await stores.verify(real, at: "/sandbox/verifyReceipt").number("status") == 21_008)
            let answer = try await stores.verify(test, at: "/sandbox/verifyReceipt")
            #expect(answer.number("status") == 0)
            #expect(answer.text("environment") == "Sandbox")
            #expect(answer.object("receipt")?.text("receipt_type") == "ProductionSandbox")
        }
    }

    @Test
    func `an invalid receipt has the store's status codes`() async throws {
        try await Stores.run { stores async throws in
            #expect(try await stores.verify(Data("forged".utf8).base64EncodedString()).number("status") == 21_003)
            #expect(try await stores.verify("%%%").number("status") == 21_002)
            #expect(try await stores.verify("").number("status") == 21_002)
            #expect(try await stores.post("/verifyReceipt", text: "{}").number("status") == 21_002)
            #expect(try await stores.post("/verifyReceipt", text: "no json").number("status") == 21_002)
            #expect(try await stores.get("/verifyReceipt").number("status") == 21_000)
        }
    }

    @Test
    func `a wrong secret is refused, and a missing one for subscriptions`() async throws {
        try await Stores.run(Stores.configuration(sharedSecret: "right")) { stores async throws in
            let pack = try await stores.buy().text("receipt")
            let plan = try await stores.buy(monthly, ["user_id": "bob"]).text("receipt")
            #expect(try await stores.verify(pack).number("status") == 0)
            #expect(try await stores.verify(pack, password: "wrong").number("status") == 21_004)
            #expect(try await stores.verify(plan).number("status") == 21_004)
            #expect(try await stores.verify(plan, password: "right").number("status") == 0)
        }
    }

    @Test
    func `calls are counted by side`() async throws {
        try await Stores.run { stores async throws in
            let receipt = try await stores.buy().text("receipt")
            _ = try await stores.verify(receipt)
            _ = try await stores.verify(receipt)
            _ = try await stores.verify(receipt, at: "/sandbox/verifyReceipt")
            let calls = try await stores.get("/sandbox/calls")
            #expect(calls.number("production") == 2)
            #expect(calls.number("sandbox") == 1)
        }
    }
}
