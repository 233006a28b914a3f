import Foundation
import HTTPTypes
import Testing
import WalletClient

/// Tests of sign-in, account deletion and offers.
@Suite
struct AccountAndOfferTests {
    private static let balance = #"""
        {"user_id":"ann","app_account_token":"0193fe00-0000-4000-8000-000000000003","environment":"production",
        "credits":100,"visits":0,"unlimited":false,"owed_credits":0,"owed_visits":0,"version":2,"lots":[],
        "upcoming_expirations":[],"next_rollover_at":null,"as_of":"2026-11-21T01:31:00Z"}
        """#
    private static let busy = WalletServer.Answer(
        status: .serviceUnavailable,
        headers: [.contentType: "application/problem+json", .retryAfter: "0"],
        body: #"{"type":"https://example.com/problems/wallet-busy","title":"Busy","status":503}"#
    )

    private func body(_ index: Int, in server: WalletServer) throws -> [String: JSONValue] {
        try JSONDecoder().decode([String: JSONValue].self, from: Data(server.seen[index].body.utf8))
    }

    @Test
    func `signing in sends the anonymous token in the body, next to the user's own`() async throws {
        try await WalletServer.run([Self.busy, WalletServer.Answer(body: Self.balance)]) {
            wallet,
            server async throws in
            #expect(try await wallet.identify(anonymousToken: "x.y.z").credits == 100)
            #expect(server.seen.map(\.path) == ["/identify", "/identify"])
            #expect(try self.body(1, in: server) == ["anonymous_token": "x.y.z"])
            #expect(server.seen.allSatisfy { $0.headers[.authorization] == "Bearer token-of-ann" })
        }
    }

    @Test
    func `an account deletion sends one request, whatever the result`() async throws {
        try await WalletServer.run([WalletServer.Answer(status: .noContent, body: "")]) { wallet, server async throws in
            try await wallet.deleteAccount()
            #expect(server.seen.map(\.method) == [.delete])
            #expect(server.seen.map(\.path) == ["/account"])
        }
        try await WalletServer.run([Self.busy]) { wallet, server async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.deleteAccount() }
            #expect(problem.status == 503)
            #expect(server.seen.count == 1)
        }
        try await WalletServer.run([WalletServer.Answer(body: "{}", isBroken: true)]) { wallet, server async throws in
            let error = try await #require(throws: WalletClientError.self) { try await wallet.deleteAccount() }
            #expect(error.code == .unreachable)
            #expect(server.seen.count == 1)
        }
    }

    @Test
    func `offerings are decoded with their reduced prices`() async throws {
        let answer = WalletServer.Answer(
            body: #"""
                {"offerings":[{"offering_id":"packs","packages":[{"package_id":"starter","pack":{"product_id":"starter",
                "kind":"pack","name":"Starter","description":"25 credits.","unit":"credit","credits":25,"bonus_credits":0,
                "total_credits":25,"price":{"amount":49,"currency":"USD"},"price_per_credit":1.96,"savings_percentage":0,
                "is_popular":false,"display_order":1,"valid_days":null,"starts_within_days":null,
                "bundle_items":[{"unit":"visit","amount":3,"valid_days":30,"starts_within_days":60}],
                "store_ids":{"app_store":"starter",
                "play_store":null,"revenuecat":null}},"plan":null,"promotional_offers":[]}]},
                {"offering_id":"plans","packages":[{"package_id":"explorer","pack":null,"plan":{"product_id":"explorer",
                "name":"Explorer","description":"4 visits.","price":{"amount":49,"currency":"USD"},"price_per_credit":12.25,
                "is_popular":false,"display_order":21,"tier":1,"entitlements":["premium"],"period":"P1M",
                "grants":{"unit":"visit","amount":4},"unlimited":false,"rollover_percentage":0,"trial":null,
                "store_ids":{"app_store":"explorer","play_store":null,"revenuecat":null}},"promotional_offers":[
                {"product_id":"explorer","offer_id":"loyal","name":"Half price","eligibility":"subscribed_before"}]}]}]}
                """#
        )
        try await WalletServer.run([answer]) { wallet, server async throws in
            let offerings = try await wallet.offers()
            #expect(offerings.map(\.offeringID) == ["packs", "plans"])
            #expect(offerings[0].packages.map { $0.pack?.totalCredits } == [25])
            #expect(
                offerings[0].packages.map { $0.pack?.bundleItems }
                    == [[BundleItem(unit: .visit, amount: 3, validDays: 30, startsWithinDays: 60)]]
            )
            #expect(offerings[0].packages.map { $0.plan } == [nil])
            #expect(offerings[1].packages.map { $0.plan?.grants?.amount } == [4])
            #expect(offerings[1].packages.flatMap(\.promotionalOffers).map(\.offerID) == ["loyal"])
            #expect(server.seen.map(\.path) == ["/offers"])
            #expect(server.seen[0].headers[.authorization] == "Bearer token-of-ann")
        }
    }

    @Test
    func `an offer's signature is requested with the buyer's account token`() async throws {
        let answer = WalletServer.Answer(
            body: #"""
                {"key_id":"KEY1","nonce":"0193fe00-0000-4000-8000-00000000000a","timestamp":1795000000123,
                "signature":"MEUCIQ=="}
                """#
        )
        let token = try #require(UUID(uuidString: "0193fe00-0000-4000-8000-000000000003"))
        try await WalletServer.run([Self.busy, answer]) { wallet, server async throws in
            let signature = try await wallet.offerSignature(
                productID: "explorer",
                offerID: "loyal",
                appAccountToken: token
            )
            #expect(signature.keyID == "KEY1")
            #expect(signature.nonce.uuidString.hasSuffix("0A"))
            #expect(signature.timestamp == 1_795_000_000_123)
            #expect(signature.signature == "MEUCIQ==")
            _ = try await wallet.offerSignature(productID: "explorer", offerID: "loyal")
            #expect(server.seen.map(\.path) == Array(repeating: "/offers/signature", count: 3))
            let wanted: [String: JSONValue] = ["product_id": "explorer", "offer_id": "loyal"]
            var named = wanted
            named["app_account_token"] = .string(token.uuidString)
            #expect(try self.body(1, in: server) == named)
            #expect(try self.body(2, in: server) == wanted)
        }
    }
}
