import Crypto
import Foundation
import HTTPTypes
import JSON
import Postgres
import TestSupport
import Testing
import Wallet

@testable import SandboxStores

extension ServerHarness {
    /// A message as stored in the inbox.
    struct Kept: Sendable, Equatable {
        var source: String
        var type: String
        var status: String
        var reason: String?
    }

    /// Posts a message of the App Store.
    func postAppStore(_ body: String) async throws -> Answer {
        try await self.send(.post, "/webhooks/app-store", body: body)
    }

    /// Signs a payload as the sandbox App Store and posts it.
    func postAppStore(signing payload: [String: JSONValue]) async throws -> Answer {
        let signed = try #require(self.stores).writer.signer.sign(payload)
        return try await self.send(.post, "/webhooks/app-store", json: ["signedPayload": signed])
    }

    /// Posts a message with RevenueCat's proofs, unless others are given.
    func postRevenueCat(
        _ body: String,
        authorization: String? = SandboxPeers.authorization,
        signature: String? = nil,
        header: String = "X-RevenueCat-Webhook-Signature"
    ) async throws -> Answer {
        var headers = [header: signature ?? Self.signature(of: body)]
        headers["Authorization"] = authorization
        return try await self.send(.post, "/webhooks/revenuecat", headers: headers, body: body)
    }

    /// Posts a message with the token of the sandbox's Pub/Sub, unless another is given.
    func postGooglePlay(_ body: String, authorization: String? = nil) async throws -> Answer {
        let play = try #require(self.stores?.play)
        let own = try PlayPush.authorization(for: play.settings, signedBy: play.pushKey, at: Date())
        return try await self.send(
            .post,
            "/webhooks/google-play",
            headers: ["Authorization": authorization ?? own],
            body: body
        )
    }

    /// Returns a signature as RevenueCat documents it.
    static func signature(
        of body: String,
        at instant: Date = Date(),
        secret: String = SandboxPeers.signingSecret
    ) -> String {
        let seconds = Int(instant.timeIntervalSince1970)
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("\(seconds).\(body)".utf8),
            using: SymmetricKey(data: Data(secret.utf8))
        )
        return "t=\(seconds),v1=" + code.map { String(format: "%02x", $0) }.joined()
    }

    /// Returns the inbox as administrators see it, oldest first, once every message was tried.
    ///
    /// A sender is answered after three seconds, even if the service is still asking the store.
    func inboxRows() async throws -> [Kept] {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let rows = try await connection.query(
                "SELECT source, type, status, reason FROM admin.webhook_inbox ORDER BY inbox_id"
            ).map { row in
                Kept(
                    source: try row.decode("source"),
                    type: try row.decode("type"),
                    status: try row.decode("status"),
                    reason: try row.decode("reason")
                )
            }
            if !rows.contains(where: { $0.status == "new" }) || ContinuousClock.now > deadline { return rows }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Creates a unique user whom the wallet knows; only known users can be found by their account token.
    static func someoneKnown() async throws -> String {
        let user = Self.someone()
        try await Self.sql("SELECT wallet.account_for('\(user)')")
        return user
    }

    /// Runs SQL as an administrator of the test's database.
    static func sql(_ script: String) async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        try await connection.execute(script: script)
    }
}
