import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SandboxStores
import Testing

@Suite
struct FaultTests {
    @Test
    func `a fault affects the requested number of calls and no control`() async throws {
        try await Stores.run { stores async throws in
            let receipt = try await stores.buy().text("receipt")
            let queued = try await stores.post("/sandbox/faults", ["status": 21_005, "count": 2])
            #expect(queued.number("pending") == 2)
            #expect(try await stores.buy(starter, ["user_id": "bob"]).status == 200)
            for expected in [21_005, 21_005, 0] {
                let answer = try await stores.verify(receipt)
                #expect(answer.status == 200)
                #expect(answer.number("status") == expected)
            }
        }
    }

    @Test
    func `an HTTP fault has its status and body`() async throws {
        try await Stores.run { stores async throws in
            let receipt = try #require(try await stores.buy().text("receipt"))
            _ = try await stores.post("/sandbox/faults", ["status": 502, "body": "bad gateway"])
            let body = ByteBuffer(string: #"{"receipt-data":"\#(receipt)"}"#)
            try await stores.client.execute(uri: "/verifyReceipt", method: .post, body: body) { response in
                #expect(response.status.code == 502)
                #expect(String(buffer: response.body) == "bad gateway")
            }
        }
    }

    @Test
    func `a fault of one side does not affect the other`() async throws {
        try await Stores.run { stores async throws in
            let receipt = try await stores.buy(starter, ["environment": "sandbox"]).text("receipt")
            _ = try await stores.post("/sandbox/faults", ["status": 21_009, "environment": "sandbox"])
            #expect(try await stores.verify(receipt).number("status") == 21_007)
            #expect(try await stores.verify(receipt, at: "/sandbox/verifyReceipt").number("status") == 21_009)
            #expect(try await stores.verify(receipt, at: "/sandbox/verifyReceipt").number("status") == 0)
        }
    }

    @Test
    func `a delay alone does not change the response`() async throws {
        try await Stores.run { stores async throws in
            let receipt = try await stores.buy().text("receipt")
            _ = try await stores.post("/sandbox/faults", ["delay_ms": 200])
            let start = ContinuousClock.now
            #expect(try await stores.verify(receipt).number("status") == 0)
            #expect(start.duration(to: .now) >= .milliseconds(200))
        }
    }

    @Test
    func `faults can be removed`() async throws {
        try await Stores.run { stores async throws in
            let receipt = try await stores.buy().text("receipt")
            _ = try await stores.post("/sandbox/faults", ["status": 21_005, "count": 100])
            #expect(try await stores.delete("/sandbox/faults").status == 204)
            #expect(try await stores.verify(receipt).number("status") == 0)
        }
    }

    @Test(
        arguments: [
            ["status": 0], ["status": 150], ["status": 600], ["status": 21_200], ["kind": "flood"],
            ["kind": "hang", "status": 500],
            ["count": 0], ["delay_ms": -1], ["environment": "moon"],
        ] as [[String: any Sendable]]
    )
    func `an invalid fault is refused`(members: [String: any Sendable]) async throws {
        try await Stores.run { stores async throws in
            #expect(try await stores.post("/sandbox/faults", members).status == 400)
        }
    }
}
