import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import WalletAPI

/// Tests of the routing of requests when one process serves several wallets.
///
/// No wallet here has a database, so a wallet answers 503 once it has accepted the token.
@Suite struct CellRoutingTests {
    @Test func `a token's issuer selects the wallet, and so does the path`() async throws {
        try await CellHarness.run { cells in
            let token = try CellHarness.usToken()
            for path in ["/balance", "/wallets/us/balance", "/wallets/us/balance?x=/wallets/eu/"] {
                #expect(try await cells.outcome(path, token: token) == "503 database-unavailable", "\(path)")
            }
            let logged = cells.lines.all.filter { $0.hasPrefix("info request") && $0.contains("/balance") }
            #expect(logged.count == 3 && logged.allSatisfy { $0.contains(#""wallet": us"#) }, "\(logged)")
            // Without a token, only the path can select the wallet.
            #expect(try await cells.outcome("/wallets/us/classes") == "503 database-unavailable")
            #expect(try await cells.outcome("/classes") == "404 route-not-found")
            #expect(try await cells.outcome("/wallets/us/webhooks/revenuecat", .post) == "503 webhook-not-configured")
        }
    }

    @Test func `a wallet accepts its own issuers only`() async throws {
        try await CellHarness.run { cells in
            cells.gate.open()
            #expect(
                try await cells.outcome("/wallets/eu/balance", token: CellHarness.usToken()) == "401 unauthenticated"
            )
            #expect(
                try await cells.outcome("/wallets/us/balance", token: CellHarness.euToken()) == "401 unauthenticated"
            )
            // The token names eu's issuer but is signed with us's key, so the selected wallet refuses it.
            let forged = try CellHarness.usToken(of: CellHarness.euIssuer)
            for path in ["/balance", "/wallets/eu/balance", "/wallets/us/balance"] {
                #expect(try await cells.outcome(path, token: forged) == "401 unauthenticated", "\(path)")
            }
            let strange = try CellHarness.usToken(of: "https://nobody.example")
            #expect(try await cells.outcome("/balance", token: strange) == "401 unauthenticated")
        }
    }

    @Test(arguments: [
        "/wallets/asia/balance", "/wallets/EU/balance", "/wallets/%75s/balance", "/wallets/us%2Fbalance",
        "/wallets//us/balance", "//wallets/us/balance", "/wallets/us//balance", "/wallets/us/../eu/balance",
        "/wallets/us", "/wallets/us/", "/wallets/", "/wallets", "/%77allets/us/balance", "/./wallets/us/balance",
        "/wallets/us/wallets/eu/balance", "/wallets/us%00/balance", "/wallets/us?/balance", "/wallets\\us/balance",
        "/wallets/us/%2e%2e/balance",
    ])
    func `a path with an unknown wallet, or an ambiguous path, is not found`(path: String) async throws {
        try await CellHarness.run { cells in
            cells.gate.open()
            let token = try CellHarness.usToken()
            #expect(try await cells.outcome(path, token: token) == "404 route-not-found")
            #expect(try await cells.outcome(path) == "404 route-not-found")
        }
    }

    @Test(arguments: ["e30.e30.", "not-a-token", "e30.eyJpc3MiOjF9.x", String(repeating: "a", count: 9_000)])
    func `an unreadable token selects no wallet`(token: String) async throws {
        try await CellHarness.run { cells in
            let outcomes = try await [
                cells.outcome("/balance", token: token), cells.outcome("/wallets/us/balance", token: token),
            ]
            #expect(outcomes == ["404 route-not-found", "401 unauthenticated"])
        }
    }

    @Test func `routes without a wallet ignore tokens`() async throws {
        try await CellHarness.run { cells in
            for token in [nil, try CellHarness.usToken(), "not-a-token"] {
                for path in ["/health", "/openapi.yaml", "/docs", "/problems/class-full", "/llms.txt"] {
                    #expect(try await cells.outcome(path, token: token).hasPrefix("200"), "\(path)")
                }
            }
            #expect(try await cells.outcome("/health", .post) == "405 method-not-allowed")
        }
    }

    @Test func `a wallet that is not open answers 503, and others work`() async throws {
        try await CellHarness.run { cells in
            let answer = try await cells.answer("/balance", token: CellHarness.euToken())
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers[.retryAfter] == "5")
            #expect(answer.headers[.requestID] != nil)
            #expect(try await cells.outcome("/wallets/eu/ready") == "503 not-ready")
            #expect(try await cells.outcome("/wallets/eu/health") == "200")
            // The open wallet us refuses the token; a closed wallet would answer 503 without checking it.
            let strange = try CellHarness.usToken(of: CellHarness.euIssuer)
            #expect(try await cells.outcome("/wallets/us/balance", token: strange) == "401 unauthenticated")
            cells.gate.open()
            #expect(try await cells.outcome("/balance", token: strange) == "401 unauthenticated")
        }
    }

    @Test func `without a usable wallet the process is not ready, and reports each wallet`() async throws {
        try await CellHarness.run { cells in
            let answer = try await cells.answer("/ready")
            #expect(answer.status == .serviceUnavailable)
            let body = try #require(
                try JSONSerialization.jsonObject(with: Data(String(buffer: answer.body).utf8)) as? [String: Any]
            )
            #expect(body["wallets"] as? [String: String] == ["eu": "not-ready", "us": "not-ready"])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a wallet with a hanging database is not ready, and does not delay others`() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let statement = Task.detached { await ends.first { true } }
        let isReady = await CellReadyRoute.holds(within: .milliseconds(50)) {
            // Like a running statement, this wait does not notice a cancellation. It ends after the answers.
            await statement.value != nil
        }

        let answers = await [
            CellReadyRoute.holds(within: .seconds(60)) { true }, CellReadyRoute.holds(within: .seconds(60)) { false },
        ]

        #expect(!isReady)
        #expect(answers == [true, false])
        end.yield()
        #expect(await statement.value != nil)
    }

    @Test func `a page's preflight needs no token`() async throws {
        try await CellHarness.run { cells in
            let preflight: HTTPFields = [.origin: "https://app.eu.example", .accessControlRequestMethod: "GET"]
            for path in ["/balance", "/wallets/eu/balance"] {
                cells.gate.open()
                let answer = try await cells.answer(path, .options, headers: preflight)
                #expect(answer.status == .ok, "\(path)")
                #expect(answer.headers[.accessControlAllowOrigin] == "https://app.eu.example", "\(path)")
            }
            // A page of eu must not read responses of us.
            let origin: HTTPFields = [.origin: "https://app.eu.example"]
            let answer = try await cells.answer("/balance", token: CellHarness.usToken(), headers: origin)
            #expect(answer.headers[.accessControlAllowOrigin] == nil)
        }
    }
}
