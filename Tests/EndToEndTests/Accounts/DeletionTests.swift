import Foundation
import Postgres
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of DELETE /account: the user's data is removed, and purchases can be restored with a proof.
    @Suite struct DeletionTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("leaving")
        }

        @Test func `the old token opens nothing any more, and a new one an empty account`() async throws {
            let sale = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            #expect(try await self.user.submit(signed: sale.signedTransaction).status == 200)
            try await self.user.deleteAccount()

            let routes: [(WebMethod, String)] = [
                (.get, "/balance"), (.get, "/transactions"), (.get, "/purchases"),
                (.get, "/purchases/\(sale.transactionID)"), (.get, "/subscriptions"), (.get, "/bookings"),
                (.get, "/bookings/\(UUID().uuidString)"), (.post, "/bookings"), (.post, "/receipts"),
                (.post, "/restore"), (.post, "/identify"), (.post, "/offers/signature"), (.delete, "/account"),
            ]
            for (method, path) in routes {
                let body = method == .post ? "{}" : nil
                let answer = try await self.user.send(method, path, headers: [("idempotency-key", "k")], body: body)
                #expect(answer.outcome == "401 unauthenticated", "\(method.rawValue) \(path)")
            }
            let back = try self.wallet.returning(self.user)
            #expect(try await back.standing() == Standing(credits: 0, visits: 0, version: 0))
            #expect(try await back.client.purchases().items.isEmpty)
        }

        // Guarantee: erased
        @Test func `nothing names the deleted user any more: no table, no log`() async throws {
            let token = try await self.user.client.balance().appAccountToken.uuidString.lowercased()
            try await self.live(as: token)
            try await self.user.deleteAccount()

            let names = [self.user.id, token]
            for name in names {
                let places = try await self.wallet.places(of: name)
                #expect(places.isEmpty, "\(places)")
            }
            for log in [self.wallet.log, "\(self.wallet.directory)/postgres.log"] {
                let lines = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
                #expect(!lines.isEmpty || log.hasSuffix("postgres.log"))
                #expect(!(names + [self.user.token]).contains { lines.contains($0) }, "\(log)")
            }
            try await self.wallet.expectIntactBooks()
            let verdict = try await self.wallet.verify(deep: true)
            #expect(verdict.status == 0, "\(verdict.output)")
        }

        @Test func `no user text from any route, webhook or import remains`() async throws {
            let text = "Zoe-\(UUID().uuidString.lowercased())"
            try await self.tellStores(text)
            try await self.useRoutes(text)
            try await self.operate(text)
            #expect(try await !self.wallet.places(of: text).isEmpty)
            try await self.user.deleteAccount()

            for name in [text, self.user.id] {
                let places = try await self.wallet.places(of: name)
                #expect(places.isEmpty, "\(places)")
            }
            try await self.wallet.expectIntactBooks()
        }

        /// Posts unreadable messages with the user's texts in every member, and replays them as an operator.
        private func tellStores(_ text: String) async throws {
            let values = #""$email":{"value":"\#(text)@example.org"},"$displayName":{"value":"\#(text)"}"#
            let attributes = #""subscriber_attributes":{\#(values)}"#
            let id = self.user.id
            let bodies = [
                #"{"\#(text)":1,"event":{"type":"RENEWAL","app_user_id":"\#(id)","note":"\#(text)",\#(attributes)}}"#,
                #"{"event":{"type":"RENEWAL","aliases":["\#(id)"],"price":{"by":"\#(text)"},\#(attributes)}}"#,
                #"{"event":{"type":"RENEWAL","app_user_id":"\#(id)","x":"\u0000",\#(attributes)}}"#,
                #"{"event":{"type":"RENEWAL","app_user_id":"\#(id)",\#(attributes)}"#,
                #"{"event":{"type":"RENEWAL","transferred_to":["\#(id)"],"items":[{"note":"\#(text)"}]}}"#,
            ]
            let sender = try WebhookSender(self.wallet)
            for body in bodies { #expect(try await sender.post(Data(body.utf8), as: .revenueCat).status == 200) }
            let kept = try await self.wallet.query(
                "SELECT inbox_id FROM wallet.inbox WHERE status = 'quarantined' AND \(id) = ANY(names)"
            )
            #expect(kept.count == bodies.count)
            // The attributes are never stored, even before the deletion. A body that is not JSON is indexed by all
            // its texts, since one of them may be the user's id.
            let places = try await self.wallet.places(of: text)
            #expect(places == ["wallet.inbox.names"])
            for inboxID in try kept.map({ try $0.decode("inbox_id", as: Int64.self) }) {
                try await self.act("replay-message", ["inbox_id": .integer(inboxID)], text)
            }
        }

        /// Sends the text through the user's routes, including the Supabase paths.
        private func useRoutes(_ text: String) async throws {
            let pass = try await self.wallet.store.buy("fiveVisit", for: self.user.id)
            let pack = try await self.wallet.store.buy(SandboxStore.explorer, for: self.user.id)
            for sale in [pass, pack] {
                #expect(try await self.user.submit(signed: sale.signedTransaction).status == 200)
            }
            _ = try await self.user.client.consume(pass.transactionID, reference: text)
            let classID = try await self.wallet.makeClass(credits: 20)
            #expect(try await self.user.book(class: classID, key: text).status == 201)
            let paths = [
                "/functions/v1/bookings/create", "/functions/v1/bookings/cancel", "/functions/v1/validate-receipt",
                "/functions/v1/credit-packs/book-with-credits", "/receipts", "/restore", "/identify",
                "/offers/signature", "/bookings",
            ]
            for path in paths {
                for member in ["class_id", "booking_id", "receipt", "notes", "name", "reason", "anonymous_token"] {
                    _ = try await self.user.post(path, [member: .string(text)])
                }
            }
        }

        /// Sends the text through operator routes and imports, in every text field.
        private func operate(_ text: String) async throws {
            let user = JSONValue.string(self.user.id)
            let adjusted = try await self.wallet.operate(
                .post,
                "/operator/adjustments",
                [
                    "user_id": user, "amount": 30, "unit": "credit", "reason": .string(text),
                    "reference": .string("\(text) \(self.user.id)"),
                ]
            )
            #expect(adjusted.status < 300, "\(adjusted.outcome)")
            try await self.act("set-tester", ["user_id": user, "tester": .bool(true)], text)
            let claims = try await self.wallet.query(
                """
                SELECT p.claim_id FROM admin.purchases AS p WHERE p.user_id = \(self.user.id) ORDER BY p.claim_id
                """
            )
            for claimID in try claims.map({ try $0.decode("claim_id", as: Int64.self) }) {
                for action in ["release-purchase", "undo-release"] {
                    try await self.act(action, ["user_id": user, "claim_id": .integer(claimID)], "\(text) \(claimID)")
                }
            }
            try await self.wallet.query(
                """
                SELECT FROM wallet.import_wallet(
                    'old', \(self.user.id), 'production',
                    jsonb_build_array(jsonb_build_object('at', '2025-01-01T00:00:00Z', 'amount', 5, 'kind', 'bought')), 5, 0,
                    NULL, FALSE, \(text)
                )
                """
            )
        }

        /// Posts an operator's action with the text as its reason and reference.
        private func act(_ action: String, _ members: [String: JSONValue], _ text: String) async throws {
            let answer = try await self.wallet.http.send(
                .post,
                "/operator/actions/\(action)",
                headers: [
                    ("authorization", "Bearer \(self.wallet.description.operatorToken)"),
                    ("idempotency-key", "\(text)-\(UUID().uuidString)".replacing(" ", with: "-")),
                    ("content-type", "application/json"),
                ],
                body: try JSONEncoder().encode(members.merging(["reason": .string(text)]) { $1 })
            )
            #expect(answer.status < 300, "\(action) \(answer.outcome)")
        }

        // Guarantee: erased
        @Test func `what stores say later of a deleted user names nobody either`() async throws {
            let store = self.wallet.store
            let other = try self.wallet.user("other")
            let plan = try await store.buy(SandboxStore.explorerPlan, for: self.user.id)
            let gift = try await store.buy(SandboxStore.explorerPlan, for: other.id)
            #expect(try await self.user.submit(signed: plan.signedTransaction).status == 200)
            #expect(try await other.submit(signed: gift.signedTransaction).status == 200)
            try await self.user.deleteAccount()

            let later = try await store.buy(SandboxStore.starter, for: self.user.id)
            try await store.change(plan, "cancel")
            try await store.change(gift, "transfer", ["to_user_id": .string(self.user.id)])
            let unknown = "$RCAnonymousID:\(UUID().uuidString.lowercased())"
            try await store.change(plan, "transfer", ["to_user_id": .string(unknown)])
            try await store.deliver(store.messages().filter { $0.body.contains(self.user.id) })
            for sale in [later, plan, gift] { try await store.deliver(store.messages(about: sale)) }
            let strange = #"{"event":{"type":7,"app_user_id":"\#(self.user.id)"}}"#
            let answer = try await WebhookSender(self.wallet).post(Data(strange.utf8), as: .revenueCat)
            #expect(answer.status == 200)

            let places = try await self.wallet.places(of: self.user.id)
            #expect(places.isEmpty, "\(places)")
            try await self.wallet.expectIntactBooks()
        }

        @Test func `the search finds a user who is not deleted`() async throws {
            _ = try await self.user.client.balance()
            try await self.wallet.give(5, to: self.user)
            #expect(try await self.wallet.places(of: self.user.id).contains("wallet.identities.user_id"))
        }

        /// Stores data about the user in every possible way: purchases by every proof, messages, bookings, gifts.
        private func live(as token: String) async throws {
            let store = self.wallet.store
            let pack = try await store.buy(
                SandboxStore.explorer,
                for: self.user.id,
                ["app_account_token": .string(token)]
            )
            let plan = try await store.buy(SandboxStore.explorerPlan, for: self.user.id)
            let play = try await store.buyAtPlay(
                SandboxStore.starter,
                for: self.user.id,
                ["app_account_token": .string(token)]
            )
            #expect(try await self.user.submit(transactionID: pack.transactionID).status == 200)
            #expect(try await self.user.submit(playPurchase: play, of: SandboxStore.starter).status == 200)
            #expect(try await self.user.submit(plan.receipt).status == 200)
            try await store.change(plan, "cancel")
            for sale in [pack, plan, play] { try await store.deliver(store.messages(about: sale)) }
            try await self.wallet.give(5, to: self.user)
            try await self.wallet.query(
                """
                UPDATE admin.wallets SET credits = credits + 1, reason = 'for ' || \(self.user.id)
                WHERE user_id = \(self.user.id)
                """
            )
            let booked = try await self.user.book(class: self.wallet.makeClass(credits: 20), key: self.user.id)
            #expect(booked.status == 201)
        }
    }
}

extension LiveWallet {
    /// Returns the columns of all tables of any type that contain the text.
    fileprivate func places(of text: String) async throws -> [String] {
        let rows = try await self.query(
            """
            SELECT string_agg(
                format(
                    'SELECT %L AS place FROM sought AS s
                    WHERE EXISTS (SELECT FROM %I.%I AS t WHERE strpos(lower(t.%I::text), s.text) > 0)',
                    format('%s.%s.%s', c.table_schema, c.table_name, c.column_name),
                    c.table_schema, c.table_name, c.column_name
                ), ' UNION ALL '
            ) AS searches
            FROM information_schema.columns AS c
            INNER JOIN information_schema.tables AS t USING (table_schema, table_name)
            WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
            """
        )
        let searches = try #require(rows.first).decode("searches", as: String.self)
        return try await self.query(
            "WITH sought AS (SELECT lower(\(text)) AS text) \(unescaped: searches)"
        ).map { try $0.decode("place") }
    }
}
