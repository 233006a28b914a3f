import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests that forged, replayed and broken webhook messages change nothing.
    @Suite struct WebhookAttackTests {
        private let wallet: LiveWallet
        private let user: LiveUser
        private let sender: WebhookSender

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("target")
            self.sender = try WebhookSender(self.wallet)
        }

        @Test func `no message is taken that the App Store did not sign`() async throws {
            let message = try await self.message(from: "app_store")
            let jws = try Self.payload(of: message)
            let other = try Self.payload(of: try await self.message(from: "app_store"))
            let parts = jws.split(separator: ".").map(String.init)
            let others = other.split(separator: ".").map(String.init)
            let forgeries = [
                [parts[0], others[1], parts[2]].joined(separator: "."),
                [parts[0], parts[1], others[2]].joined(separator: "."),
                [parts[0], parts[1], ""].joined(separator: "."), "eyJhbGciOiJub25lIn0.\(parts[1]).",
                try WebhookSender.signedUnderAnotherRoot(jws), String(jws.prefix(jws.count / 2)), "",
                // A signed document that is not a notification.
                try await self.wallet.store.buy(SandboxStore.power, for: self.user.id).signedTransaction,
            ]
            for forgery in forgeries.dropLast() {
                let answer = try await self.postApple(forgery)
                #expect(answer.outcome == "401 webhook-not-proven")
            }
            // A transaction that Apple signed is authentic but not a notification; the wallet may only quarantine
            // it.
            _ = try await self.postApple(forgeries[7])
            #expect(try await self.wallet.fate(of: message.id) == nil)
            try await self.expectUntouched()
        }

        @Test func `a message about another app is refused`() async throws {
            let sale = try await self.wallet.store.buy(
                SandboxStore.power,
                for: self.user.id,
                ["bundle_id": "com.example.other"]
            )
            let message = try #require(try await self.wallet.store.messages(about: sale, from: "app_store").first)
            #expect(try await self.postApple(Self.payload(of: message)).outcome == "503 webhook-not-configured")
            #expect(try await self.wallet.fate(of: message.id) == nil)
            try await self.expectUntouched()
        }

        @Test func `RevenueCat's messages need both proofs, fresh and over these very bytes`() async throws {
            let message = try await self.message(from: "revenuecat")
            let body = Data(message.body.utf8)
            let right = self.sender.revenueCatHeaders(for: body)
            let dearer = Data(message.body.replacing(SandboxStore.explorer, with: SandboxStore.power).utf8)
            let attacks: [(String, Data, [(String, String)])] = [
                ("no proof", body, []), ("no signature", body, Array(right.prefix(1))),
                ("no authorization", body, Array(right.suffix(1))),
                ("another authorization", body, [("authorization", "Bearer guessed"), right[1]]),
                ("another secret", body, self.sender.revenueCatHeaders(for: body, secret: "guessed")),
                ("another body", dearer, right), ("half of the body", body.prefix(body.count / 2), right),
                ("an old time", body, self.sender.revenueCatHeaders(for: body, at: Date(timeIntervalSinceNow: -400))),
                ("a time to come", body, self.sender.revenueCatHeaders(for: body, at: Date(timeIntervalSinceNow: 400))),
                ("a signature of nothing", body, [right[0], (right[1].0, "t=,v1=")]),
            ]
            for (name, body, headers) in attacks {
                let answer = try await self.sender.send(body, to: .revenueCat, headers: headers)
                #expect(answer.outcome == "401 webhook-not-proven", "\(name)")
            }
            #expect(try await self.wallet.fate(of: message.id) == nil)
            try await self.expectUntouched()
            // The same message with the right proofs succeeds, so the proofs were the cause.
            #expect(try await self.sender.post(body, as: .revenueCat).status == 200)
            try await self.wallet.store.settle()
            #expect(try await self.user.standing().credits == 50)
        }

        @Test func `Google's pushes need the token of its service account, for us, now`() async throws {
            let message = try await self.message(from: "google_play", atPlay: true)
            let body = Data(message.body.utf8)
            var tokens: [(String, String)] = [("authorization", "Bearer \(self.user.token)")]
            for change: (inout WebhookSender.Push) -> Void in [
                { $0.audience = "https://elsewhere.example" }, { $0.email = "somebody@example.com" },
                { $0.isForged = true }, { $0.at = Date(timeIntervalSinceNow: -7_200) },
            ] {
                var push = WebhookSender.Push()
                change(&push)
                tokens.append(try self.sender.authorization(push))
            }
            for headers in tokens.map({ [$0] }) + [[]] {
                let answer = try await self.sender.send(body, to: .googlePlay, headers: headers)
                #expect(answer.outcome == "401 unauthenticated")
            }
            #expect(try await self.wallet.fate(of: message.id) == nil)
            try await self.expectUntouched()
            #expect(try await self.sender.post(body, as: .googlePlay).status == 204)
        }

        @Test func `Google's push about another app is refused`() async throws {
            let message = try await self.message(from: "google_play", atPlay: true)
            let data = message.text.replacing("com.hobbyist.bookingapp", with: "com.example.other")
            let id = "\(UInt64.random(in: 1 ... .max))"
            let body =
                #"{"subscription":"s","message":{"messageId":"\#(id)","data":"\#(Data(data.utf8).base64EncodedString())"}}"#
            let answer = try await self.sender.post(Data(body.utf8), as: .googlePlay)
            #expect(answer.outcome == "503 webhook-not-configured")
            #expect(try await self.wallet.fate(of: id) == nil)
        }

        @Test func `a message that is replayed is answered as the first time and applied once`() async throws {
            let store = self.wallet.store
            let sale = try await store.buy(SandboxStore.explorer, for: self.user.id)
            let messages = try await store.messages(about: sale)
            try await store.deliver(messages)
            let before = try await self.user.standing()
            #expect(before == Standing(credits: 50, visits: 0, version: 1))
            _ = try await concurrently(24) { number in
                try await store.deliver(messages[number % messages.count])
            }
            #expect(try await self.user.standing() == before)
            let kept = try await self.wallet.inbox().filter { line in messages.contains { line.contains($0.id) } }
            #expect(kept.count == messages.count)
            #expect(kept.allSatisfy { $0.hasSuffix(" processed") || $0.hasSuffix(" awaiting_user") })
        }

        @Test(arguments: WebhookSender.Store.allCases)
        func `a body beyond the limit is not read`(store: WebhookSender.Store) async throws {
            let body = Data(#"{"signedPayload":"\#(String(repeating: "A", count: 300_000))"}"#.utf8)
            #expect(try await self.sender.post(body, as: store).outcome == "413 payload-too-large")
        }

        @Test(arguments: WebhookSender.Store.allCases)
        func `authentic but meaningless messages are kept or refused, never applied`(
            store: WebhookSender.Store
        ) async throws {
            let bodies = [
                "", "{", "[]", "null", "7", "{}", #"{"event":7}"#, #"{"event":{"type":"RENEWAL"}}"#,
                #"{"message":{"data":"%%%","messageId":7}}"#, #"{"message":{"data":"e30=","messageId":"1"}}"#,
                #"{"signedPayload":{}}"#, "{\"event\":{\"id\":\"a\\u0000b\",\"type\":\"TEST\"}}", "\u{0}\u{1}",
            ]
            for body in bodies {
                let answer = try await self.sender.post(Data(body.utf8), as: store)
                #expect([200, 204, 400, 401].contains(answer.status), "\(body) \(answer.outcome)")
            }
            let binary = try await self.sender.post(Data([0xFF, 0xFE, 0x00]), as: store)
            #expect([200, 204, 400, 401].contains(binary.status), "\(binary.outcome)")
            // Unreadable messages are stored by their digest; none of them may count as processed.
            let kept = try await self.wallet.inbox().filter { $0.hasPrefix(store.rawValue) && $0.contains(" sha256:") }
            #expect(kept.allSatisfy { $0.hasSuffix(" quarantined") })
            #expect(store == .appStore || !kept.isEmpty)
        }

        /// Returns a message about a purchase of the user that has not been posted yet.
        private func message(from source: String, atPlay: Bool = false) async throws -> StoreMessage {
            let sale =
                atPlay
                ? try await self.wallet.store.buyAtPlay(SandboxStore.explorer, for: self.user.id)
                : try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            return try #require(try await self.wallet.store.messages(about: sale, from: source).first)
        }

        private static func payload(of message: StoreMessage) throws -> String {
            let body = try JSONDecoder().decode([String: String].self, from: Data(message.body.utf8))
            return try #require(body["signedPayload"])
        }

        private func postApple(_ jws: String) async throws -> WebAnswer {
            try await self.sender.post(JSONEncoder().encode(["signedPayload": jws]), as: .appStore)
        }

        private func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            let standing = try await self.user.standing()
            #expect(standing == Standing(credits: 0, visits: 0, version: 0), sourceLocation: sourceLocation)
        }
    }
}
