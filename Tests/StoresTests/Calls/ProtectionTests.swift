import Foundation
import Stores
import Synchronization
import TestSupport
import Testing

@Suite
struct ProtectionTests {
    @Test
    func `a thousand forged receipts leave the breaker closed and others served`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            // A thousand concurrent calls take seconds on a busy machine; this test checks the breaker, not the speed.
            let verifier = sandbox.verifier { configuration in
                configuration.limits.attemptTimeout = .seconds(300)
                configuration.limits.deadline = .seconds(600)
            }
            try await withThrowingTaskGroup(of: StoreError?.self) { group in
                for number in 0..<1_000 {
                    group.addTask { await verifier.refusal(of: Data("forged \(number)".utf8).base64EncodedString()) }
                }
                for try await error in group {
                    #expect(error?.code == .rejected)
                }
            }
            #expect(try await verifier.verify(receipt: sale.receipt).facts.count == 1)
            try await sandbox.expectCalls(production: 1_001, sandbox: 0)
        }
    }

    @Test(arguments: [["status": 21_002], ["kind": "html"]] as [[String: any Sendable]])
    func `rejected receipts and web pages do not open the breaker`(fault: [String: any Sendable]) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            let verifier = sandbox.verifier { $0.limits.breaker.threshold = 3 }
            try await sandbox.fault(fault.merging(["count": 12]) { $1 })
            for number in 0..<6 {
                _ = await verifier.refusal(of: Data("doubtful \(number)".utf8).base64EncodedString())
            }
            try await sandbox.clearFaults()
            #expect(try await verifier.verify(receipt: sale.receipt).facts.count == 1)
        }
    }

    @Test(
        arguments: [["status": 500], ["status": 21_005], ["status": 21_009], ["kind": "reset"], ["kind": "hang"]]
            as [[String: any Sendable]]
    )
    func `an outage opens the breaker, and recovery closes it`(fault: [String: any Sendable]) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            // On a busy machine, each attempt must reach the store, and the breaker must be open until it is checked.
            let verifier = sandbox.verifier { configuration in
                configuration.limits.breaker.threshold = 6
                configuration.limits.breaker.window = .seconds(600)
                configuration.limits.breaker.openDuration = .seconds(600)
                configuration.limits.deadline = .seconds(600)
                if fault["kind"] as? String == "hang" { configuration.limits.attemptTimeout = .seconds(5) }
            }
            try await sandbox.fault(fault.merging(["count": 6]) { $1 })
            #expect(await verifier.refusal(of: sale.receipt)?.code == .unavailable)
            #expect(await verifier.refusal(of: sale.receipt)?.isUnasked == false)
            // The store has recovered, but the breaker is still open.
            let error = await verifier.refusal(of: sale.receipt)
            #expect(error?.code == .unavailable)
            #expect(error?.isUnasked == true)
            #expect((error?.retryAfter ?? 0) > 400)
            try await sandbox.expectCalls(production: 6)
            sandbox.clock.advance(by: .seconds(601))
            #expect(try await verifier.verify(receipt: sale.receipt).facts.count == 1)
            #expect(try await verifier.verify(receipt: sale.receipt).facts.count == 1)
        }
    }

    @Test
    func `each side has its own breaker`() async throws {
        try await Sandbox.run { sandbox in
            let real = try await sandbox.buy()
            let test = try await sandbox.buy(starter, ["environment": "sandbox"])
            let verifier = sandbox.verifier { $0.limits.breaker.threshold = 3 }
            try await sandbox.fault(["status": 500, "environment": "sandbox", "count": 3])
            #expect(await verifier.refusal(of: test.receipt)?.code == .unavailable)
            #expect(await verifier.refusal(of: test.receipt)?.code == .unavailable)
            try await sandbox.expectCalls(sandbox: 3)
            #expect(try await verifier.verify(receipt: real.receipt).facts.count == 1)
        }
    }

    @Test
    func `a rejected receipt is cached for ten minutes`() async throws {
        try await Sandbox.run { sandbox in
            let verifier = sandbox.verifier()
            for _ in 0..<5 {
                let error = await verifier.refusal(of: someReceipt)
                #expect(error?.code == .rejected)
                #expect(error?.storeStatus == 21_003)
            }
            try await sandbox.expectCalls(production: 1)
            sandbox.clock.advance(by: .seconds(601))
            #expect(await verifier.refusal(of: someReceipt)?.code == .rejected)
            try await sandbox.expectCalls(production: 2)
        }
    }

    @Test
    func `another app's receipt is refused and cached`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy(starter, ["bundle_id": "com.example.other"])
            let verifier = sandbox.verifier()
            #expect(await verifier.refusal(of: sale.receipt)?.code == .wrongApp)
            #expect(await verifier.refusal(of: sale.receipt)?.code == .wrongApp)
            try await sandbox.expectCalls(production: 1)
        }
    }

    @Test
    func `an outage is not cached`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            let verifier = sandbox.verifier()
            try await sandbox.fault(["status": 500, "count": 3])
            #expect(await verifier.refusal(of: sale.receipt)?.code == .unavailable)
            #expect(try await verifier.verify(receipt: sale.receipt).facts.count == 1)
        }
    }

    @Test
    func `two hundred concurrent submissions of one receipt are one call`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            let verifier = sandbox.verifier()
            // Every caller must come while the store delays its response.
            try await sandbox.fault(["delay_ms": 4_000, "count": 1])
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<200 {
                    group.addTask { try await verifier.verify(receipt: sale.receipt).facts.map(\.transactionID) }
                }
                for try await ids in group {
                    #expect(ids == [sale.transactionID])
                }
            }
            try await sandbox.expectCalls(production: 1)
        }
    }

    @Test
    func `a shared verification continues when its first caller is cancelled`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            let verifier = sandbox.verifier { configuration in
                configuration.limits.attemptTimeout = .seconds(60)
                configuration.limits.deadline = .seconds(120)
            }
            try await sandbox.fault(["delay_ms": 12_000, "count": 1])
            let isVerified = Atomic(false)
            let first = Task { await verifier.refusal(of: sale.receipt) }
            try await eventually("the store has the first call") { try await sandbox.calls()["production"] == 1 }
            let second = Task {
                let verified = try await verifier.verify(receipt: sale.receipt)
                isVerified.store(true, ordering: .relaxed)
                return verified
            }
            // Nothing shows that the second caller has begun to wait.
            try await Task.sleep(for: .seconds(4))
            first.cancel()
            #expect(await first.value?.code == .unavailable)
            let hasWaited = isVerified.load(ordering: .relaxed)
            #expect(!hasWaited, "the cancelled caller waited for the store")
            #expect(try await second.value.facts.count == 1)
            try await sandbox.expectCalls(production: 1)
        }
    }
}
