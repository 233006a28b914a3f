import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Stores
import Synchronization
import TestSupport
import Testing

@testable import CreditWallet

/// Tests over real sockets that outgoing calls do not reach private addresses.
@Suite struct OutgoingTests {
    /// Runs a server on this machine that counts requests and redirects requests for `/away` to itself.
    private static func serve(_ test: @Sendable (Int, @escaping @Sendable () -> Int) async throws -> Void) async throws
    {
        let calls = Counter()
        let router = Router()
        router.get("here") { _, _ in
            calls.add()
            return "here"
        }
        router.get("away") { _, _ in Response(status: .found, headers: [.location: "/here"]) }
        try await LocalServer.run(router) { port in try await test(port, { calls.value }) }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func add() { self.count.withLock { $0 += 1 } }
        var value: Int { self.count.withLock { $0 } }
    }

    private static func status(_ url: String, within reach: EgressPolicy) async throws -> UInt? {
        let logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
        // A refused connection is tried again until the timeout.
        let timeout: TimeAmount = reach == .anywhere ? .seconds(20) : .milliseconds(700)
        return try await HTTPClient.withHTTPClient(configuration: .outgoing(within: reach, logger: logger)) { client in
            try? await client.execute(HTTPClientRequest(url: url), timeout: timeout).status.code
        }
    }

    @Test func `no name and no way to write an address leads to this machine`() async throws {
        try await Self.serve { port, calls in
            for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:127.0.0.1]"] {
                let status = try await Self.status("http://\(host):\(port)/here", within: .publicOnly)
                #expect(status == nil, "\(host)")
            }
            #expect(calls() == 0)
            let status = try await Self.status("http://127.0.0.1:\(port)/here", within: .anywhere)
            #expect(status == 200)
            #expect(calls() == 1)
        }
    }

    @Test func `redirects are not followed`() async throws {
        try await Self.serve { port, calls in
            let status = try await Self.status("http://127.0.0.1:\(port)/away", within: .anywhere)
            #expect(status == 302)
            #expect(calls() == 0)
        }
    }

    @Test(arguments: [
        "https://127.0.0.1/jwks.json", "https://[::1]/jwks.json", "https://169.254.169.254/latest", "https://10.0.0.1/",
        "https://localhost/jwks.json", "http://issuer.example/",
    ])
    func `a key set in the private network needs the flag`(url: String) async throws {
        var environment = ServeConfiguration.environment()
        environment["AUTH_MAIN_HS256_SECRET"] = nil
        environment["AUTH_MAIN_JWKS_URL"] = url
        let refused = try await Executable.run(["serve"], environment: environment)
        #expect(refused.status == 78)
        #expect(refused.errors.contains("JWKS"))
        environment["OUTGOING_ALLOW_PRIVATE"] = "true"
        let accepted = try await Executable.run(["serve"], environment: environment)
        // The configuration is valid, so serve continues and finds no database; plain http is never accepted.
        #expect(accepted.status == (url.hasPrefix("https:") ? 69 : 78))
    }

    @Test func `calls may reach private addresses only with a flag`() async throws {
        func reach(_ more: [String: String]) async throws -> EgressPolicy {
            let environment = ServeConfiguration.environment().merging(more) { $1 }
            let settings = try await Settings.load(environment: environment, environmentFile: "/nonexistent/.env")
            return try EgressPolicy(reader: settings)
        }
        let usual = try await reach([:])
        #expect(usual == .publicOnly)
        for flag in ["APPSTORE_ALLOW_OTHER", "REVENUECAT_ALLOW_OTHER", "GOOGLEPLAY_ALLOW_OTHER"] {
            let other = try await reach(["\(flag)_HOSTS": "true"])
            #expect(other == .anywhere)
        }
        let inside = try await reach(["OUTGOING_ALLOW_PRIVATE": "true"])
        #expect(inside == .anywhere)
    }
}
