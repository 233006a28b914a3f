import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Tests that lists are read page by page without gaps or repeats, for every page size.
@Suite(.serialized) struct PagingTests {
    @Test(arguments: [100, 33, 7]) func `the ledger is read without gaps or repeats`(limit: Int) async throws {
        try await withWalkDatabase { database in
            for number in 1...130 {
                try await database.admin.query(
                    """
                    INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
                    VALUES (\("a\(number)"), 'anna', \(Int64(number)), 'counting', TRUE)
                    """
                )
            }
            let entries = try await allPages(limit: limit) { page in
                try await database.wallet.transactions(of: .anna, in: .production, page: page)
            }
            #expect(entries.map(\.version) == Array((1...130).reversed()))
            #expect(entries.map(\.amount) == Array((1...130).reversed()))
            #expect(entries.allSatisfy { $0.kind == "adjust" && $0.reason == "counting" && $0.unit == .credit })
            #expect(entries.first?.balanceAfter == Int64(8_515))
            #expect(Set(entries.map(\.hash)).count == 130)
        }
    }

    @Test func `classes with the same start are read without gaps or repeats`() async throws {
        try await withWalkDatabase { database in
            let startsAt = try await database.wallet.now().addingTimeInterval(86_400)
            for number in 0..<130 {
                let begins = startsAt.addingTimeInterval(Double(number / 40) * 0.000_5)
                _ = try await database.wallet.putClass(
                    String(format: "class-%03d", number),
                    ClassDefinition(
                        title: "A class",
                        startsAt: begins,
                        endsAt: begins.addingTimeInterval(3_600),
                        capacity: 1,
                        price: SeatPrice(credits: 1)
                    ),
                    by: .clerk,
                    key: "k\(number)",
                    in: .production
                )
            }
            for limit in [100, 13] {
                let classes = try await allPages(limit: limit) { page in
                    try await database.wallet.classes(in: .production, page: page)
                }
                #expect(classes.map(\.classID) == (0..<130).map { String(format: "class-%03d", $0) })
            }
        }
    }

    @Test func `bookings and purchases are read without gaps or repeats`() async throws {
        try await withWalkDatabase { database in
            var bookings: [UUID] = []
            for number in 0..<105 {
                try await database.makeClass("class-\(number)", credits: 1)
                try await database.buy(WalkDatabase.pack("starter"), for: .anna, "t\(number)")
                let new = BookingRequest(classID: "class-\(number)")
                let receipt = try await database.wallet.book(new, for: .anna, in: .production, key: "k\(number)")
                bookings.append(receipt.booking.bookingID)
            }
            for limit in [100, 11] {
                let listed = try await allPages(limit: limit) { page in
                    try await database.wallet.bookings(of: .anna, in: .production, filter: .upcoming, page: page)
                }
                #expect(listed.map(\.bookingID) == bookings.reversed())
                let purchases = try await allPages(limit: limit) { page in
                    try await database.wallet.purchases(of: .anna, in: .production, page: page)
                }
                #expect(purchases.map(\.transactionID) == (0..<105).reversed().map { "t\($0)" })
            }
            let page = PageRequest(limit: 100)
            let past = try await database.wallet.bookings(of: .anna, in: .production, filter: .past, page: page)
            #expect(past.items.isEmpty && past.nextCursor == nil)
            try await database.advance(3 * 86_400)
            let later = try await database.wallet.bookings(of: .anna, in: .production, filter: .past, page: page)
            #expect(later.items.count == 100 && later.nextCursor != nil)
        }
    }

    @Test(arguments: ["%", "abc", "eA", "MQoy", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "MQoA", "Cg", "", "LTE"])
    func `a cursor from no list is refused or ends the list`(cursor: String) async throws {
        try await withWalkDatabase { database in
            let wallet = database.wallet
            try await database.buy(for: .anna, "t1")
            let page = PageRequest(limit: 10, cursor: cursor)
            // "-1" is a number, so lists of numbers accept it as a position behind their end.
            let isNumber = cursor == "LTE"
            await Self.expectMalformed(unless: isNumber) {
                try await wallet.transactions(of: .anna, in: .production, page: page).items.isEmpty
            }
            await Self.expectMalformed(unless: isNumber) {
                try await wallet.purchases(of: .anna, in: .production, page: page).items.isEmpty
            }
            await Self.expectMalformed {
                try await wallet.bookings(of: .anna, in: .production, filter: nil, page: page).items.isEmpty
            }
            // "1\n2" holds an instant and a class id: the position before all classes.
            await Self.expectMalformed(unless: cursor == "MQoy") {
                try await wallet.classes(in: .production, page: page).items.isEmpty
            }
        }
    }

    private static func expectMalformed(
        unless isPlace: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ read: () async throws -> Bool
    ) async {
        let result = await Result(catching: read)
        switch result {
        case .success(let isEmpty):
            #expect(isPlace && isEmpty, "no refusal", sourceLocation: sourceLocation)
        case .failure(let error):
            let error = error as? WalletError
            #expect(!isPlace && error?.status == 400, sourceLocation: sourceLocation)
            #expect(error?.slug == "malformed-request", sourceLocation: sourceLocation)
        }
    }
}

extension Result where Failure == any Error {
    init(catching work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
