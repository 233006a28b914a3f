import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of POST /identify: an anonymous user signs in and keeps their purchases.
    @Suite struct IdentityTests {
        private let wallet: LiveWallet
        private let user: LiveUser
        private let anonymous: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("named")
            self.anonymous = try self.wallet.anonymous()
        }

        @Test func `signing in merges credits, visits, bookings and the subscription, once`() async throws {
            let pack = try await self.buy(SandboxStore.starter, by: self.user)
            let other = try await self.buy(SandboxStore.explorer, by: self.anonymous)
            _ = try await self.buy(SandboxStore.explorerPlan, by: self.anonymous)
            let classID = try await self.wallet.makeClass(credits: 20)
            let booking = try await self.anonymous.client.book(classID: classID, idempotencyKey: "mine").booking

            let merged = try await self.identify(self.anonymous)
            #expect(merged.outcome == "200")
            #expect(merged["credits"] == 55)
            #expect(merged["visits"] == 4)
            #expect(try await self.user.client.subscriptions().tier == 1)
            #expect(try await self.user.client.booking(booking.bookingID).status == booking.status)
            #expect(try await self.user.client.book(classID: classID, idempotencyKey: "mine").isReplayed)

            #expect(try await self.anonymous.send(.get, "/balance").outcome == "401 unauthenticated")
            let replay = try await self.identify(self.anonymous)
            #expect(replay.outcome == "200")
            #expect(replay["credits"] == 55)
            #expect(try await self.user.submit(signed: other.signedTransaction).grants == [.known(50)])
            #expect(try await self.user.submit(signed: pack.signedTransaction).grants == [.known(25)])
            try await self.wallet.expectIntactBooks()
        }

        @Test func `no token but an anonymous one of the same issuer is merged`() async throws {
            let victim = try self.wallet.user("victim")
            _ = try await self.buy(SandboxStore.explorer, by: victim)
            let stranger = self.wallet.users.claims(of: victim.id, issuer: "https://other.example")
            let tokens = [
                victim.token, self.user.token, self.wallet.description.operatorToken, "no.token.atall",
                try self.wallet.users.sign(stranger.merging(["is_anonymous": true]) { $1 }),
                try self.wallet.users.sign(
                    self.wallet.users.claims(of: victim.id).merging(["is_anonymous": true]) { $1 },
                    secret: "a secret that nobody told, thirty-two bytes"
                ),
            ]
            for token in tokens {
                let answer = try await self.user.post("/identify", ["anonymous_token": .string(token)])
                #expect(answer.outcome == "403 not-mergeable")
            }
            #expect(try await self.user.standing() == Standing(credits: 0, visits: 0, version: 0))
            #expect(try await victim.standing().credits == 50)
        }

        @Test func `an anonymous user merges nobody, and one who has signed in is no longer merged`() async throws {
            _ = try await self.buy(SandboxStore.starter, by: self.anonymous)
            let another = try self.wallet.anonymous("another")
            let answer = try await another.post("/identify", ["anonymous_token": .string(self.anonymous.token)])
            #expect(answer.outcome == "403 not-mergeable")
            // The same subject returns with a token of a signed-in user.
            let grown = try self.wallet.returning(self.anonymous)
            #expect(try await grown.standing().credits == 25)
            #expect(try await self.identify(self.anonymous).outcome == "403 not-mergeable")
            #expect(try await grown.standing().credits == 25)
        }

        private func identify(_ anonymous: LiveUser) async throws -> WebAnswer {
            try await self.user.post("/identify", ["anonymous_token": .string(anonymous.token)])
        }

        private func buy(_ product: String, by user: LiveUser) async throws -> SandboxStore.Sale {
            let sale = try await self.wallet.store.buy(product, for: user.id)
            #expect(try await user.submit(signed: sale.signedTransaction).status == 200)
            return sale
        }
    }
}
