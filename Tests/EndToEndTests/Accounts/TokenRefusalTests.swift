import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of invalid tokens, and of routes that a valid token may not use.
    @Suite struct TokenRefusalTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("owner")
        }

        @Test(arguments: ForgedToken.allCases)
        func `a forged token neither reads nor writes`(forgery: ForgedToken) async throws {
            try await self.wallet.give(50, to: self.user)
            let before = try await self.user.standing()
            let classID = try await self.wallet.makeClass(credits: 20)
            let token = try forgery.token(for: self.user.id, by: self.wallet)
            let forger = try LiveUser(self.user.id, token: token, at: self.wallet.description.httpURL)

            for answer in [try await forger.send(.get, "/balance"), try await forger.book(class: classID)] {
                #expect(answer.outcome == "401 unauthenticated")
                #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
            }
            #expect(try await self.user.standing() == before)
        }

        @Test func `a missing token is distinguished from an invalid one`() async throws {
            let answer = try await self.wallet.http.send(.get, "/balance")
            #expect(answer.outcome == "401 unauthenticated")
            #expect(answer.header("www-authenticate") == "Bearer realm=\"credit-wallet\"")
        }

        @Test func `a user's token opens no operator route, nor an operator's a user route`() async throws {
            let headers = [("idempotency-key", "k")]
            let asOperator = try await self.user.send(.put, "/operator/classes/c", headers: headers, body: "{}")
            #expect(asOperator.outcome == "401 unauthenticated")
            let token = self.wallet.description.operatorToken
            let asUser = try LiveUser("operator", token: token, at: self.wallet.description.httpURL)
            #expect(try await asUser.send(.get, "/balance").outcome == "401 unauthenticated")
        }

        @Test func `the token command creates a valid token`() async throws {
            let arguments = ["token", "--user", self.user.id, "--data", self.wallet.directory]
            let printed = try await Executable.run(arguments)
            #expect(printed.status == 0)
            let token = printed.output.trimmingCharacters(in: .whitespacesAndNewlines)
            let same = try LiveUser(self.user.id, token: token, at: self.wallet.description.httpURL)
            #expect(try await same.client.balance().userID == self.user.id)
        }

        @Test func `another user's ids are no ids`() async throws {
            let stranger = try self.wallet.user("stranger")
            try await self.wallet.give(50, to: [self.user, stranger])
            let classes = try await self.wallet.makeClasses(2, credits: 20)
            let sale = try await self.wallet.store.buy(SandboxStore.starter, for: self.user.id)
            _ = try await self.user.client.submitReceipt(sale.receipt)
            let booking = try await self.user.client.book(classID: classes[0]).booking
            let lot = try #require(try await self.user.client.balance().lots.first).lotID
            let before = try await [self.user, stranger].asyncMap { try await $0.standing() }

            let id = booking.bookingID.uuidString
            #expect(try await stranger.send(.get, "/bookings/\(id)").outcome == "404 booking-not-found")
            #expect(try await stranger.send(.delete, "/bookings/\(id)").outcome == "404 booking-not-found")
            #expect(try await stranger.send(.post, "/bookings/\(id)/cancel").outcome == "404 booking-not-found")
            let purchase = try await stranger.send(.get, "/purchases/\(sale.transactionID)")
            #expect(purchase.outcome == "404 purchase-not-found")
            let body = #"{"class_id":"\#(classes[1])","pay_with":"\#(lot)","user_id":"\#(self.user.id)"}"#
            #expect(try await stranger.book(body, key: "k").outcome == "409 payment-not-accepted")
            #expect(try await [self.user, stranger].asyncMap { try await $0.standing() } == before)
        }
    }
}
