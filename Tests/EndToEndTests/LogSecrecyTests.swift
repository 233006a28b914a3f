import Foundation
import TestSupport
import Testing
import WalletClient

/// Tests the log of a whole story at its finest level: no line contains a user's data or a proof.
@Suite(.tracedLiveWallet, .showingLog, .serialized) struct LogSecrecyTests {
    let wallet: LiveWallet

    init() throws {
        self.wallet = try LiveWallet.current
    }

    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    /// The secret texts sent during a story, by description.
    private struct Story {
        var texts: [String: String] = [:]
    }

    // Guarantee: erased
    @Test func `no token, receipt, purchase, secret, name or text of a user is in the log or in a span`() async throws {
        var story = Story()
        let user = try self.wallet.user("secretive")
        let guest = try self.wallet.anonymous("hidden")
        story.texts = [
            "a user's id": user.id, "a user's token": user.token, "a guest's id": guest.id,
            "a guest's token": guest.token,
        ]
        try await self.buy(user, &story)
        try await self.book(user, &story)
        try await self.misuse(user, &story)
        try await self.webhooks(&story)
        _ = try await user.post("/identify", ["anonymous_token": .string(guest.token)])
        try await self.trouble(user, &story)
        try await user.deleteAccount()
        // Waits so that background workers log too.
        try await Task.sleep(for: .seconds(3))
        try await eventually("spans arrive") { LogSecrets(of: self.wallet).spans.count > 5 }

        let log = LogSecrets(of: self.wallet)
        #expect(log.lines.count > 50)
        #expect(log.spans.count > 5)
        try log.expectNone(of: story.texts)
    }

    private func buy(_ user: LiveUser, _ story: inout Story) async throws {
        let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: user.id)
        let play = try await self.wallet.store.buy(SandboxStore.starter, for: user.id, ["store": "play_store"])
        let plan = try await self.wallet.store.buy(SandboxStore.power, for: user.id)
        story.texts["a receipt"] = sale.receipt
        story.texts["a signed transaction"] = sale.signedTransaction
        story.texts["a purchase token"] = play.purchaseToken
        #expect(try await user.submit(sale.receipt).status == 200)
        #expect(try await user.submit(signed: sale.signedTransaction).status == 200)
        #expect(try await user.submit(transactionID: plan.transactionID).status < 500)
        #expect(try await user.submit(playPurchase: play, of: SandboxStore.starter).status == 200)
        #expect(try await user.restore(signed: [sale.signedTransaction]).status < 500)
        _ = try await user.sync()
        _ = try await user.submit(sale.receipt + "!")
        _ = try await user.submit(signed: sale.signedTransaction + "x")
    }

    private func book(_ user: LiveUser, _ story: inout Story) async throws {
        let title = "Pottery for Zacharias \(UUID())"
        let key = "key-\(UUID())"
        let reason = "because \(UUID())"
        story.texts["a class's title"] = title
        story.texts["an Idempotency-Key"] = key
        story.texts["a reason"] = reason
        let classID = try await self.wallet.makeClass(credits: 20, ["title": .string(title)])
        let booked = try await user.book(class: classID, key: key)
        #expect(booked.status == 201)
        #expect(try await user.book(class: classID, key: key).isReplayed)
        #expect(try await user.book(class: "no-such-class", key: key).status == 422)
        let adjusted = try await self.wallet.operate(
            .post,
            "/operator/adjustments",
            [
                "user_id": .string(user.id), "amount": 3, "unit": "credit", "reason": .string(reason),
                "reference": .string("reference \(reason)"), "new_user": true,
            ]
        )
        #expect(adjusted.status < 300)
        _ = try await self.wallet.operate(.post, "/operator/classes/\(classID)/cancel", ["reason": .string(reason)])
    }

    private func misuse(_ user: LiveUser, _ story: inout Story) async throws {
        let text = "mischief-\(UUID())"
        story.texts["what somebody made up"] = text
        let forged = try self.wallet.users.sign(self.wallet.users.claims(of: text), secret: text + text)
        story.texts["a forged token"] = forged
        for path in ["/balance", "/bookings/\(text)", "/no/\(text)", "/classes/\(text)?q=\(text)"] {
            let headers = [
                ("authorization", "Bearer \(forged)"), ("wallet-environment", text), ("x-request-id", "\(text) id"),
            ]
            _ = try await self.wallet.http.send(.get, path, headers: headers)
            _ = try await user.send(.get, path)
        }
        for body in [
            "{\"class_id\": \"\(text)\"", "{\"class_id\": [\"\(text)\"]}",
            "{\"class_id\": \"\(text)\", \"seats\": \"\(text)\"}",
        ] {
            _ = try await user.book(body, key: text)
            _ = try await user.send(.post, "/receipts", body: body)
        }
    }

    private func webhooks(_ story: inout Story) async throws {
        let sender = try WebhookSender(self.wallet)
        story.texts["RevenueCat's authorization"] = self.wallet.description.revenueCatAuthorization
        let text = "message-\(UUID())"
        story.texts["a message's text"] = text
        let body = Data("{\"event\": {\"id\": \"1\", \"type\": \"TEST\", \"app_user_id\": \"\(text)\"}}".utf8)
        for store in WebhookSender.Store.allCases {
            _ = try await sender.post(body, as: store)
            _ = try await sender.send(body, to: store, headers: [("authorization", text)])
        }
    }

    /// Makes the stores fail, so that the wallet logs errors.
    private func trouble(_ user: LiveUser, _ story: inout Story) async throws {
        let sale = try await self.wallet.store.buy(SandboxStore.starter, for: user.id, ["store": "play_store"])
        story.texts["a purchase token that could not be checked"] = sale.purchaseToken
        try await self.wallet.store.fail(["target": "play", "status": 500, "count": 20])
        #expect(try await user.submit(playPurchase: sale, of: SandboxStore.starter).status == 503)
        try await self.wallet.store.healFaults()
    }

    @Test func `every line of a request has its ids, and the caller's trace if there is one`() async throws {
        let request = "request-\(UUID().uuidString.lowercased())"
        let headers = [("traceparent", "00-\(Self.trace)-b7ad6b7169203331-01"), ("x-request-id", request)]
        let user = try self.wallet.user("traced")
        #expect(try await user.send(.get, "/bookings/none", headers: headers).status == 404)
        let other = try await user.send(.get, "/balance", headers: [("traceparent", "00-\(Self.trace)-0-01")])

        let id = try #require(other.header("x-request-id"))
        // The service may write the last line of a request after the client has the response.
        try await eventually("the last lines of both requests are in the log") {
            let ends = try self.entries { $0.contains(request) || $0.contains(id) }
                .filter { $0["msg"] as? String == "request" }
            return Set([request, id]).isSubset(of: ends.compactMap { $0["request_id"] as? String })
        }

        let lines = try self.entries()
        let mine = lines.filter { $0["request_id"] as? String == request }
        #expect(!mine.isEmpty)
        #expect(mine.allSatisfy { $0["trace_id"] as? String == Self.trace })
        let spans = Set(mine.compactMap { $0["span_id"] as? String })
        #expect(spans.count == 1)
        #expect(!spans.contains("b7ad6b7169203331"))
        let made = try #require(lines.first { $0["request_id"] as? String == id }?["trace_id"] as? String)
        #expect(made != Self.trace)
        #expect(made.wholeMatch(of: /[0-9a-f]{32}/) != nil)
    }

    /// Returns the members of log lines.
    ///
    /// - Parameter isWanted: A closure that indicates whether a line is wanted.
    /// - Returns: The members of each finished line.
    /// - Throws: An error if a line is not JSON.
    private func entries(where isWanted: (String) -> Bool = { _ in true }) throws -> [[String: Any]] {
        try LogSecrets(of: self.wallet).finishedLines.filter(isWanted).compactMap { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
    }
}
