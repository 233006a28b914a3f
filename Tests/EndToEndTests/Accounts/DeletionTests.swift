import Foundation
import Postgres
import Testing
import WalletClient

extension LiveWalletTests {
    /// DELETE /account: the user is gone, what they bought waits for anyone who proves it.
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

        @Test func `a place where the user is named is found by that search`() async throws {
            _ = try await self.user.client.balance()
            try await self.wallet.give(5, to: self.user)
            #expect(try await self.wallet.places(of: self.user.id).contains("wallet.identities.user_id"))
        }

        /// Leaves traces wherever a user can: purchases by every proof, messages, bookings, gifts.
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
    /// The columns of all tables in which a text occurs, in whatever type it is kept.
    fileprivate func places(of text: String) async throws -> [String] {
        let rows = try await self.query(
            """
            SELECT format('%s.%s.%s', c.table_schema, c.table_name, c.column_name) AS place
            FROM information_schema.columns AS c
            INNER JOIN information_schema.tables AS t USING (table_schema, table_name)
            WHERE t.table_type = 'BASE TABLE' AND c.table_schema NOT IN ('pg_catalog', 'information_schema')
                AND (xpath('/row/hits/text()', query_to_xml(
                    format(
                        'SELECT count(*) AS hits FROM %I.%I WHERE strpos(lower(%I::text), lower(%L)) > 0',
                        c.table_schema, c.table_name, c.column_name, \(text)
                    ), FALSE, TRUE, ''
                )))[1]::text::bigint > 0
            """
        )
        return try rows.map { try $0.decode("place") }
    }
}
