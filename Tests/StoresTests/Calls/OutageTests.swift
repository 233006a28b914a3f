import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import Stores
import Testing

@Suite
struct OutageTests {
    @Test(arguments: [500, 502, 503])
    func `a server error is retried`(status: Int) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": status, "count": 2])
            #expect(try await sandbox.verifier().verify(receipt: sale.receipt).facts.count == 1)
        }
    }

    @Test(arguments: ["html", "truncated", "reset"])
    func `an invalid response is retried and is an outage if it persists`(kind: String) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["kind": kind, "count": 2])
            #expect(try await sandbox.verifier().verify(receipt: sale.receipt).facts.count == 1)
            try await sandbox.fault(["kind": kind, "count": 3])
            let error = await sandbox.verifier().refusal(of: sale.receipt)
            #expect(error?.code == .unavailable)
            #expect(error?.storeStatus == nil)
            try await sandbox.expectCalls(production: 6, sandbox: 0)
        }
    }

    @Test(arguments: [200, 301, 400, 403, 404, 418, 429, 500])
    func `an HTTP response without the protocol's body is an outage, not a rejection`(status: Int) async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["status": status, "count": 3, "body": "{}"])
            #expect(await sandbox.verifier().refusal(of: sale.receipt)?.code == .unavailable)
        }
    }

    @Test
    func `a call to a store that hangs ends after the attempts' time`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            // Each attempt must reach the store within its time, on a busy machine too.
            let verifier = sandbox.verifier { configuration in
                configuration.limits.attemptTimeout = .seconds(5)
                configuration.limits.deadline = .seconds(600)
            }
            try await sandbox.fault(["kind": "hang", "count": 3])
            let start = ContinuousClock.now
            #expect(await verifier.refusal(of: sale.receipt)?.code == .unavailable)
            #expect(start.duration(to: .now) < .seconds(50))
            try await sandbox.expectCalls(production: 3, sandbox: 0)
            #expect(try await verifier.verify(receipt: sale.receipt).facts.count == 1)
        }
    }

    @Test
    func `the deadline of the whole verification limits the attempts`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            let verifier = sandbox.verifier { configuration in
                configuration.limits.attemptTimeout = .seconds(120)
                configuration.limits.deadline = .seconds(8)
            }
            try await sandbox.fault(["kind": "hang", "count": 3])
            let start = ContinuousClock.now
            #expect(await verifier.refusal(of: sale.receipt)?.code == .unavailable)
            #expect(start.duration(to: .now) < .seconds(50))
            try await sandbox.expectCalls(production: 1, sandbox: 0)
        }
    }

    @Test
    func `a late response within the time limit is used`() async throws {
        try await Sandbox.run { sandbox in
            let sale = try await sandbox.buy()
            try await sandbox.fault(["delay_ms": 300])
            #expect(try await sandbox.verifier().verify(receipt: sale.receipt).facts.count == 1)
            try await sandbox.expectCalls(production: 1, sandbox: 0)
        }
    }

    @Test
    func `a closed port is an outage`() async throws {
        try await Sandbox.run { sandbox in
            let verifier = sandbox.verifier { configuration in
                configuration.productionURL = "http://127.0.0.1:1/verifyReceipt"
                configuration.limits.attemptTimeout = .milliseconds(500)
            }
            #expect(await verifier.refusal(of: someReceipt)?.code == .unavailable)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is not followed`(status: Int) async throws {
        try await CannedStore.run(
            answering: "",
            status: .init(code: status),
            headers: [.location: "/elsewhere"],
            check: { #expect(await $0.refusal(of: someReceipt)?.code == .unavailable) }
        )
    }

    @Test
    func `a response beyond the size limit is an outage`() async throws {
        let answer =
            #"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[]},"pad":"\#(String(repeating: "x", count: 5_000))"}"#
        try await CannedStore.run(
            answering: answer,
            change: { $0.limits.maximumResponseBytes = 4_000 },
            check: { #expect(await $0.refusal(of: someReceipt)?.code == .unavailable) }
        )
        try await CannedStore.run(
            answering: answer,
            change: { $0.limits.maximumResponseBytes = 8_000 },
            check: { #expect(await $0.refusal(of: someReceipt) == nil) }
        )
    }

    @Test
    func `the store's Retry-After is passed on`() async throws {
        try await CannedStore.run(
            answering: "",
            status: .serviceUnavailable,
            headers: [.retryAfter: "37"],
            change: { $0.limits.maximumAttempts = 1 },
            check: { #expect(await $0.refusal(of: someReceipt)?.retryAfter == 37) }
        )
    }

    @Test(arguments: [
        "", "null", "[]", "[1]", "0", "\"status\"", "{\"status\":null}", "{\"status\":\"zero\"}", "{\"status\":{}}",
        "{\"state\":0}", "{\"status\":0}", "{\"status\":0,\"receipt\":null}", "{\"status\":0,\"receipt\":[]}",
        "{\"status\":0,\"receipt\":{\"in_app\":[]}}",
        "{\"status\":0,\"receipt\":{\"bundle_id\":\"com.example.app\",\"in_app\":7}}",
    ])
    func `a response of another format is an outage`(answer: String) async throws {
        try await CannedStore.read(answer) { outcome in
            guard case .failure(let error) = outcome else {
                Issue.record("accepted: \(outcome)")
                return
            }
            #expect(error.code == .unavailable)
        }
    }
}
