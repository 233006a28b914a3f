import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of many concurrent bookings over as many connections.
    @Suite struct BookingHammerTests {
        private let wallet: LiveWallet

        init() throws {
            self.wallet = try LiveWallet.current
        }

        // Guarantee: idempotent-for-ever
        @Test func `200 bookings at once with one key make one booking`() async throws {
            let user = try self.wallet.user("impatient")
            try await self.wallet.give(500, to: user)
            let classID = try await self.wallet.makeClass(credits: 20)
            let key = UUID().uuidString
            let answers = try await concurrently(200) { _ in try await user.book(class: classID, key: key) }

            #expect(answers.filter { $0.status == 201 }.count == 1)
            #expect(answers.filter { $0.status == 200 && $0.isReplayed }.count == 199)
            #expect(Set(answers.map { $0["booking", "booking_id"]?.stringValue }).count == 1)
            #expect(try await user.standing() == Standing(credits: 480, visits: 0, version: 2))
            #expect(try await self.wallet.seatsSold(classID) == 1)
        }

        // Guarantee: never-overspent
        @Test func `of 60 bookings at once a wallet pays the 8 that it can`() async throws {
            let user = try self.wallet.user("spender")
            try await self.wallet.give(175, to: user)
            let classes = try await self.wallet.makeClasses(60, credits: 20)
            let answers = try await concurrently(60) { try await user.book(class: classes[$0]) }

            #expect(answers.filter { $0.outcome == "201" }.count == 8)
            #expect(answers.filter { $0.outcome == "402 insufficient-credits" }.count == 52)
            #expect(try await user.standing() == Standing(credits: 15, visits: 0, version: 9))
            #expect(try await user.client.bookings(limit: 100).items.count == 8)
            let booked = try await self.wallet.booked(user)
            #expect(booked.credits == 15)
            #expect(booked.version == booked.entries)
        }

        // Guarantee: never-oversold
        @Test func `60 payers buy the 10 seats that a class has`() async throws {
            let payers = try self.wallet.users(60, "payer")
            try await self.wallet.give(30, to: payers)
            let classID = try await self.wallet.makeClass(credits: 30, seats: 10)
            let answers = try await concurrently(60) { try await payers[$0].book(class: classID) }

            #expect(answers.filter { $0.outcome == "201" }.count == 10)
            #expect(answers.filter { $0.outcome == "409 class-full" }.count == 50)
            #expect(
                answers.filter { $0.status == 409 }.allSatisfy { $0["seats_left"] == 0 && $0["seats_requested"] == 1 }
            )
            #expect(try await payers[0].client.classSession(classID).seatsLeft == 0)
            #expect(try await self.wallet.seatsSold(classID) == 10)
            let balances = try await payers.asyncMap { try await $0.standing().credits }
            #expect(zip(balances, answers).allSatisfy { $0.0 == ($0.1.status == 201 ? 0 : 30) })
            try await self.wallet.expectIntactBooks()
        }

        @Test func `concurrent bookings and cancellations leave seats and balance exact`() async throws {
            let users = try self.wallet.users(10, "fickle")
            try await self.wallet.give(20, to: users)
            let classID = try await self.wallet.makeClass(credits: 20, seats: 4)
            _ = try await concurrently(10) { number in
                for _ in 0..<4 {
                    let answer = try await users[number].book(class: classID)
                    guard let id = answer["booking", "booking_id"]?.stringValue else { continue }
                    #expect(try await users[number].send(.post, "/bookings/\(id)/cancel").status == 200)
                }
            }

            #expect(try await self.wallet.seatsSold(classID) == 0)
            #expect(try await users.asyncMap { try await $0.standing().credits } == Array(repeating: 20, count: 10))
            try await self.wallet.expectIntactBooks()
        }

        @Test func `a retry with reordered members replays`() async throws {
            let user = try self.wallet.user("encoder")
            try await self.wallet.give(20, to: user)
            let id = try await self.wallet.makeClass(credits: 20)
            let first = try await user.book(#"{"class_id":"\#(id)","seats":1,"max_amount":20}"#, key: "one")
            let again = try await user.book(#"{ "max_amount": 20, "ignored": [1], "class_id": "\#(id)" }"#, key: "one")

            #expect(first.outcome == "201")
            #expect(again.outcome == "200")
            #expect(again.isReplayed)
            #expect(again["booking"] == first["booking"])
            let other = try await user.book(#"{"class_id":"\#(id)","max_amount":21}"#, key: "one")
            #expect(other.outcome == "422 idempotency-key-reused")
            #expect(try await user.standing() == Standing(credits: 0, visits: 0, version: 2))
        }

        @Test func `a refusal does not consume its idempotency key`() async throws {
            let user = try self.wallet.user("later")
            let classID = try await self.wallet.makeClass(credits: 20)
            #expect(try await user.book(class: classID, key: "same").outcome == "402 insufficient-credits")
            try await self.wallet.give(20, to: user)
            #expect(try await user.book(class: classID, key: "same").outcome == "201")
        }
    }
}
