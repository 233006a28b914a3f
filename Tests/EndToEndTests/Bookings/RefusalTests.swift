import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of refusals: each invalid request has its own problem slug and changes nothing.
    @Suite struct RefusalTests {
        private let wallet: LiveWallet
        private let user: LiveUser

        init() throws {
            self.wallet = try LiveWallet.current
            self.user = try self.wallet.user("refused")
        }

        @Test(arguments: BadBody.bookings)
        func `a malformed booking changes nothing`(body: BadBody) async throws {
            let before = try await self.funded()
            let answer = try await self.user.book(body.text, key: "a-key")
            #expect(answer.outcome == body.outcome)
            #expect(answer.header("content-type") == "application/problem+json")
            #expect(try await self.user.standing() == before)
        }

        @Test(arguments: BadBody.receipts)
        func `a malformed receipt is not sent to the store`(body: BadBody) async throws {
            let before = try await self.funded()
            let answer = try await self.user.send(.post, "/receipts", body: body.text)
            #expect(answer.outcome == body.outcome)
            #expect(try await self.user.standing() == before)
            // The request did not count toward the user's ten verifications.
            #expect(answer.header("ratelimit") == "\"receipts\";r=10;t=0")
        }

        @Test(arguments: [
            (nil, "400 idempotency-key-missing"), ("", "400 malformed-request"), ("two words", "400 malformed-request"),
            (String(repeating: "k", count: 256), "400 malformed-request"), ("schlüssel", "400 malformed-request"),
            ("\"open", "400 malformed-request"),
        ])
        func `a missing or malformed key books nothing`(key: String?, outcome: String) async throws {
            let before = try await self.funded()
            let classID = try await self.wallet.makeClass(credits: 20)
            let headers = key.map { [("idempotency-key", $0)] } ?? []
            let answer = try await self.user.send(
                .post,
                "/bookings",
                headers: headers,
                body: #"{"class_id":"\#(classID)"}"#
            )
            #expect(answer.outcome == outcome)
            #expect(try await self.user.standing() == before)
        }

        @Test(arguments: ["/bookings", "/receipts"])
        func `ten megabytes are refused unread`(path: String) async throws {
            let before = try await self.funded()
            let body = #"{"store":"app_store","receipt":""# + String(repeating: "A", count: 10 << 20) + #""}"#
            let answer = try await self.user.send(.post, path, headers: [("idempotency-key", "k")], body: body)
            #expect(answer.outcome == "413 payload-too-large")
            #expect(try await self.user.standing() == before)
        }

        @Test(arguments: [
            ("text/plain", "415 unsupported-media-type"),
            ("application/json; charset=latin1", "415 unsupported-media-type"),
        ])
        func `another media type is refused`(type: String, outcome: String) async throws {
            let headers = [("idempotency-key", "k"), ("content-type", type)]
            let answer = try await self.user.send(.post, "/bookings", headers: headers, body: #"{"class_id":"c"}"#)
            #expect(answer.outcome == outcome)
        }

        @Test func `a known path with another method lists its methods`() async throws {
            let answer = try await self.user.send(.delete, "/balance")
            #expect(answer.outcome == "405 method-not-allowed")
            #expect(answer.header("allow") == "GET, HEAD")
            #expect(try await self.user.send(.get, "/nowhere").outcome == "404 route-not-found")
        }

        @Test func `refusals of a class use the documented problem types`() async throws {
            let before = try await self.funded()
            let classID = try await self.wallet.makeClass(credits: 20, seats: 2)
            let refusals = [
                (#"{"class_id":"no-such-class"}"#, "404 class-not-found"),
                (#"{"class_id":"\#(classID)","max_amount":19}"#, "409 price-changed"),
                (#"{"class_id":"\#(classID)","seats":3}"#, "409 class-full"),
                (#"{"class_id":"\#(classID)","pay_with":"visits"}"#, "409 payment-not-accepted"),
            ]
            for (body, outcome) in refusals {
                #expect(try await self.user.book(body, key: "a-key").outcome == outcome)
            }
            #expect(try await self.user.standing() == before)
            #expect(try await self.wallet.seatsSold(classID) == 0)
        }

        private func funded() async throws -> Standing {
            try await self.wallet.give(50, to: self.user)
            return try await self.user.standing()
        }
    }
}
