import Foundation
import TestSupport
import Testing
import Wallet

/// Tests many concurrent callers: grants, bookings and seats stay exact.
@Suite(.serialized) struct ConcurrencyTests {
    @Test func `two hundred submissions of one fact by one user grant once`() async throws {
        try await withWalkDatabase(connections: 16) { database in
            let fact = try await database.fact("t1")
            let outcomes = try await atOnce(200) { _ in
                try await database.wallet.apply(fact, submittedBy: .anna)
            }
            #expect(outcomes.allSatisfy { $0.verdict == .granted && $0.amount == 200 })
            #expect(outcomes.count { !$0.duplicate } == 1)
            #expect(Set(outcomes.map(\.lotID)).count == 1)
            let balance = try await database.wallet.balance(of: .anna, in: .production)
            #expect(balance.credits == 200)
            #expect(balance.version == 1)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `two hundred submissions of one fact by two users give it one owner`() async throws {
        try await withWalkDatabase(connections: 16) { database in
            let fact = try await database.fact("t1")
            let users: [UserID] = [.anna, .ben]
            let outcomes = try await atOnce(200) { number in
                (user: number % 2, outcome: try await database.wallet.apply(fact, submittedBy: users[number % 2]))
            }
            let owners = Set(outcomes.filter { $0.outcome.verdict == .granted }.map(\.user))
            #expect(owners.count == 1)
            let others = outcomes.filter { !owners.contains($0.user) }
            #expect(others.count == 100)
            #expect(others.allSatisfy { $0.outcome.reason == "transaction-already-claimed" && $0.outcome.amount == 0 })
            var credits: [Int64] = []
            for user in users { credits.append(try await database.wallet.balance(of: user, in: .production).credits) }
            #expect(credits.sorted() == [0, 200])
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `two hundred bookings with one key make one booking`() async throws {
        try await withWalkDatabase(connections: 16) { database in
            try await database.buy(for: .anna, "t1")
            try await database.makeClass("yoga")
            let receipts = try await atOnce(200) { _ in
                try await database.wallet.book(BookingRequest(classID: "yoga"), for: .anna, in: .production, key: "k1")
            }
            #expect(receipts.count { !$0.replayed } == 1)
            #expect(receipts.count { $0.replayed } == 199)
            #expect(Set(receipts.map(\.booking.bookingID)).count == 1)
            #expect(receipts.allSatisfy { $0.balance.credits == 175 && $0.balance.version == 2 })
            #expect(try await database.wallet.classSession("yoga", in: .production).seatsLeft == 9)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `of sixty bookings, a wallet that can pay for eight makes eight`() async throws {
        try await withWalkDatabase(connections: 16) { database in
            try await database.buy(for: .anna, "t1")
            for number in 0..<60 { try await database.makeClass("class-\(number)") }
            let results = try await atOnce(60) { number in
                try await outcome {
                    try await database.wallet.book(
                        BookingRequest(classID: "class-\(number)"),
                        for: .anna,
                        in: .production,
                        key: "k\(number)"
                    )
                }
            }
            #expect(results.receipts.count == 8)
            #expect(results.refusals == ["insufficient-credits": 52])
            #expect(Set(results.receipts.map(\.balance.credits)) == [175, 150, 125, 100, 75, 50, 25, 0])
            #expect(try await database.wallet.balance(of: .anna, in: .production).credits == 0)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `of sixty payers, ten get the ten seats of a class`() async throws {
        try await withWalkDatabase(connections: 16) { database in
            try await database.makeClass("yoga", seats: 10)
            _ = try await atOnce(60) { number in
                try await database.buy(for: UserID(rawValue: "user-\(number)"), "t\(number)")
            }
            let results = try await atOnce(60) { number in
                try await outcome {
                    try await database.wallet.book(
                        BookingRequest(classID: "yoga"),
                        for: UserID(rawValue: "user-\(number)"),
                        in: .production,
                        key: "k"
                    )
                }
            }
            #expect(results.receipts.count == 10)
            #expect(results.refusals == ["class-full": 50])
            #expect(try await database.wallet.classSession("yoga", in: .production).seatsLeft == 0)
            let credits = try await atOnce(60) { number in
                try await database.wallet.balance(of: UserID(rawValue: "user-\(number)"), in: .production).credits
            }
            #expect(credits.count { $0 == 175 } == 10)
            #expect(credits.count { $0 == 200 } == 50)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `a seat that is cancelled and booked concurrently is sold once`() async throws {
        try await withWalkDatabase(connections: 16) { database in
            try await database.makeClass("yoga", seats: 1)
            try await database.buy(for: .anna, "t0")
            for number in 1...20 { try await database.buy(for: UserID(rawValue: "user-\(number)"), "t\(number)") }
            let first = try await database.wallet.book(
                BookingRequest(classID: "yoga"),
                for: .anna,
                in: .production,
                key: "k"
            )
            let results = try await atOnce(21) { number in
                try await outcome {
                    guard number > 0 else {
                        return try await database.wallet.cancel(first.booking.bookingID, for: .anna, in: .production)
                    }
                    let user = UserID(rawValue: "user-\(number)")
                    return try await database.wallet.book(
                        BookingRequest(classID: "yoga"),
                        for: user,
                        in: .production,
                        key: "k"
                    )
                }
            }
            let sold = results.receipts.filter { $0.booking.status == "booked" }.count
            #expect(sold <= 1)
            #expect(results.refusals == ["class-full": 20 - sold])
            #expect(try await database.wallet.classSession("yoga", in: .production).seatsLeft == 1 - sold)
            #expect(try await database.wallet.balance(of: .anna, in: .production).credits == 200)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }
}
