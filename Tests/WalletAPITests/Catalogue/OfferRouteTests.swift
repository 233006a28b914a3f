import Crypto
import Foundation
import HTTPTypes
import Stores
import TestSupport
import Testing

@testable import WalletAPI

/// Tests of `GET /offers` and `POST /offers/signature`.
@Suite(.database) struct OfferRouteTests {
    @Test func `offerings group packs, passes and plans with their reduced prices`() async throws {
        try await ServerHarness.withDatabase { server in
            try await Self.offer("loyal", "subscribed_before")
            let answer = try await server.send(.get, "/offers", as: ServerHarness.someone())
            #expect(answer.status == 200)
            let offerings = try #require(try answer.json["offerings"] as? [[String: Any]])
            #expect(offerings.map { $0["offering_id"] as? String } == ["packs", "passes", "plans"])
            let packages = try offerings.map { try #require($0["packages"] as? [[String: Any]]) }
            #expect(packages.map(\.count) == [4, 4, 3])
            for package in packages[0] + packages[1] {
                #expect(package["pack"] is [String: Any])
                #expect(package["plan"] is NSNull)
            }
            let plan = try #require(packages[2].first { $0["package_id"] as? String == ServerHarness.plan })
            let offers = try #require(plan["promotional_offers"] as? [[String: Any]])
            #expect(offers.contains { $0["offer_id"] as? String == "loyal" && $0["name"] as? String == "Half price" })
            #expect(try await server.send(.get, "/offers").status == 401)
        }
    }

    @Test func `a signature is valid for the exact request only`() async throws {
        try await ServerHarness.withDatabase { server in
            try await Self.offer("comeback", "subscribed_before")
            let user = try await Self.subscriber(in: server)
            for token in [nil, user, "00000000-0000-0000-0000-000000000000"] {
                var body = Self.wanted("comeback")
                body["app_account_token"] = token
                let answer = try await server.send(.post, "/offers/signature", as: user, json: body)
                #expect(answer.status == 200)
                #expect(answer.headers[.cacheControl] == "no-store")
                let json = try answer.json
                #expect(json["key_id"] as? String == SandboxPeers.appStoreKeyID)
                let nonce = try #require(json["nonce"] as? String)
                #expect(nonce == nonce.lowercased() && UUID(uuidString: nonce) != nil)
                let timestamp = try #require(json["timestamp"] as? Int)
                #expect(abs(Double(timestamp) / 1_000 - Date().timeIntervalSince1970) < 600)
                let encoded = try #require(json["signature"] as? String)
                let der = try #require(Data(base64Encoded: encoded))
                let signature = try P256.Signing.ECDSASignature(derRepresentation: der)
                let parts = [
                    SandboxPeers.bundleID, SandboxPeers.appStoreKeyID, ServerHarness.plan, "comeback", token ?? "",
                    nonce, String(timestamp),
                ]
                let bytes = Data(parts.joined(separator: "\u{2063}").utf8)
                #expect(SandboxPeers.appStoreKey.publicKey.isValidSignature(signature, for: bytes))
            }
        }
    }

    @Test func `an unknown offer, a new customer and another user's account token are refused`() async throws {
        try await ServerHarness.withDatabase { server in
            try await Self.offer("for-all-who-did", "subscribed_before")
            try await Self.offer("for-lapsed", "lapsed")
            let user = try await Self.subscriber(in: server)
            let unknown = try await server.send(.post, "/offers/signature", as: user, json: Self.wanted("nothing"))
            #expect(unknown.status == 404)
            #expect(unknown.problem == "offer-not-found")
            let lapsed = try await server.send(.post, "/offers/signature", as: user, json: Self.wanted("for-lapsed"))
            #expect(lapsed.status == 403)
            #expect(lapsed.problem == "not-eligible")
            let newcomer = try await server.send(
                .post,
                "/offers/signature",
                as: ServerHarness.someone(),
                json: Self.wanted("for-all-who-did")
            )
            #expect(newcomer.status == 403)
            #expect(newcomer.problem == "not-eligible")
            var foreign = Self.wanted("for-all-who-did")
            foreign["app_account_token"] = ServerHarness.someone()
            let mismatch = try await server.send(.post, "/offers/signature", as: user, json: foreign)
            #expect(mismatch.status == 403)
            #expect(mismatch.problem == "account-token-mismatch")
            foreign["app_account_token"] = "no uuid"
            let malformed = try await server.send(.post, "/offers/signature", as: user, json: foreign)
            #expect(malformed.problem == "malformed-request")
        }
    }

    @Test func `without a key no offer is signed`() async throws {
        try await ServerHarness.withDatabase(adapt: without(\.offers)) { server in
            let body = Self.wanted("any")
            let answer = try await server.send(.post, "/offers/signature", as: ServerHarness.someone(), json: body)
            #expect(answer.status == 400)
            #expect(answer.problem == "malformed-request")
        }
    }

    private static func wanted(_ offer: String) -> [String: any Sendable] {
        ["product_id": ServerHarness.plan, "offer_id": offer]
    }

    private static func offer(_ id: String, _ eligibility: String) async throws {
        try await ServerHarness.sql(
            """
            INSERT INTO admin.offers (product_id, offer_id, name, eligibility, is_active)
            VALUES ('\(ServerHarness.plan)', '\(id)', 'Half price', '\(eligibility)', TRUE)
            """
        )
    }

    /// Creates a user with an active subscription.
    private static func subscriber(in server: ServerHarness) async throws -> String {
        let user = ServerHarness.someone()
        let sale = try await server.buy(user, more: ["product_id": ServerHarness.plan])
        let body = ["store": "app_store", "signed_transaction": try #require(sale.signedTransaction)]
        #expect(try await server.send(.post, "/receipts", as: user, json: body).status == 200)
        return user
    }
}
