import Foundation
import Postgres
import Stores
import TestSupport
import Testing

@testable import Wallet

/// Tests reads that one statement answers for several users.
@Suite(.serialized) struct UserReadsTests {
    /// The users of ``WalkDatabase/makeMembers(_:)``.
    private static let members = (0..<12).map { UserID(rawValue: "u\($0)") }
    /// A user who has an account and nothing in it.
    private static let newcomer = UserID(rawValue: "newcomer")

    @Test func `a batch answers each balance, also of empty wallets and of both environments`() async throws {
        try await withWalkDatabase { database in
            try await database.makeMembers(Self.members)
            let reads = (Self.members + [Self.newcomer]).flatMap { user in
                [WalletEnvironment.production, .sandbox].map { UserRead(user: user, environment: $0) }
            }
            try await database.expectSame(database.wallet.balances, reads) { balance in
                var balance = balance
                balance.asOf = .distantPast
                return "\(balance)"
            }
            let batched = try await database.together(database.wallet.balances, reads)
            #expect(try batched.map { try $0.get().userID } == reads.map(\.user.rawValue))
            let production = try zip(reads, batched).filter { $0.0.environment == .production }.map { try $0.1.get() }
            #expect(production.map { $0.lots.count(where: { $0.source == "pack" }) } == Array(1...12) + [0])
        }
    }

    @Test func `a batch answers each page of bookings with its own filter, limit and cursor`() async throws {
        try await withWalkDatabase { database in
            try await database.makeMembers(Self.members)
            let filters: [BookingFilter?] = [nil, .upcoming, .past, .cancelled]
            var reads: [UserRead] = []
            for (number, user) in (Self.members + [Self.newcomer]).enumerated() {
                let (filter, limit) = (filters[number % 4], 1 + number % 2)
                let first = PageRequest(limit: limit)
                reads.append(try BookingRead.read(of: user, in: .production, filter, first))
                reads.append(try BookingRead.read(of: user, in: .sandbox, filter, first))
                let page = try await database.wallet.bookings(of: user, in: .production, filter: filter, page: first)
                guard let cursor = page.nextCursor else { continue }
                let second = PageRequest(limit: limit, cursor: cursor)
                reads.append(try BookingRead.read(of: user, in: .production, filter, second))
            }
            #expect(reads.contains { $0.before != nil })
            try await database.expectSame(database.wallet.bookingLists, reads)
            let all = Self.members.map { UserRead(user: $0, environment: .production, limit: 20) }
            let pages = try await database.together(database.wallet.bookingLists, all).map { try $0.get() }
            #expect(pages.map { $0.bookings.items.count } == Self.members.indices.map { 1 + $0 % 3 })
            #expect(pages.map(\.isWaiting) == Self.members.indices.map { $0 % 5 == 0 })
        }
    }

    @Test func `a batch answers each page of a ledger with its own limit and cursor`() async throws {
        try await withWalkDatabase { database in
            try await database.makeMembers(Self.members)
            let reads = (Self.members + [Self.newcomer]).enumerated().flatMap { number, user in
                [nil, "\(1 + number)", "3"].map { before in
                    UserRead(user: user, environment: .production, limit: 1 + number % 4, before: before)
                }
            }
            try await database.expectSame(database.wallet.ledgers, reads)
            let pages = try await database.together(database.wallet.ledgers, reads).map { try $0.get() }
            #expect(zip(reads, pages).allSatisfy { $1.items.count <= $0.limit })
            #expect(pages.contains { $0.nextCursor != nil })
        }
    }

    @Test func `a batch answers each user's passes and subscriptions`() async throws {
        try await withWalkDatabase { database in
            try await database.makeMembers(Self.members)
            let reads = (Self.members + [Self.newcomer]).flatMap { user in
                [WalletEnvironment.production, .sandbox].map { UserRead(user: user, environment: $0, limit: 2) }
            }
            try await database.expectSame(database.wallet.passes, reads)
            let passes = try await database.together(database.wallet.passes, reads).map { try $0.get() }
            #expect(passes.count(where: { $0.items.count == 1 }) == 6)
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try await database.expectSame(database.wallet.subscriptions, reads) { overview in
                String(decoding: try encoder.encode(overview), as: UTF8.self)
            }
            let overviews = try await database.together(database.wallet.subscriptions, reads).map { try $0.get() }
            #expect(overviews.count(where: { $0.subscriptions.count == 1 && !$0.entitlements.isEmpty }) == 3)
        }
    }

    @Test func `concurrent reads of many users return each user's own data`() async throws {
        try await withWalkDatabase { database in
            try await database.makeMembers(Self.members)
            let wallet = database.wallet
            let callers = (Self.members + [.nobody, Self.newcomer]).map { Caller.signedIn($0) }
            _ = try await atOnce(20 * callers.count) { number in
                let caller = callers[number % callers.count]
                let packs = number % callers.count < 12 ? 1 + number % callers.count : 0
                let balance = try await wallet.balance(of: caller, in: .production)
                #expect(balance.userID == caller.user.rawValue)
                #expect(balance.lots.count(where: { $0.source == "pack" }) == packs)
                let entries = try await wallet.transactions(of: caller, in: .production, page: PageRequest(limit: 100))
                #expect(entries.items.count == Int(balance.version))
                let bought = "pack \(caller.user.rawValue) "
                #expect(entries.items.count(where: { $0.transactionID?.hasPrefix(bought) == true }) == packs)
                let bookings = try await wallet.bookings(of: caller, in: .production, filter: nil, page: PageRequest())
                #expect(bookings.bookings.items.count == (packs == 0 ? 0 : 1 + (packs - 1) % 3))
            }
        }
    }

    @Test func `a read that fails does not affect the others of its batch`() async throws {
        try await withWalkDatabase { database in
            try await database.makeMembers(Self.members)
            var reads = Self.members.map { UserRead(user: $0, environment: .production, limit: 20) }
            reads[3].before = "not a UUID"
            let bookings = try await database.together(database.wallet.bookingLists, reads)
            for (number, answer) in bookings.enumerated() {
                if number == 3 {
                    #expect(throws: WalletError(status: 422, slug: "invalid-values")) { try answer.get() }
                } else {
                    #expect(try answer.get().bookings.items.count == 1 + number % 3)
                }
            }
            reads[3].before = "not a number"
            let ledgers = try await database.together(database.wallet.ledgers, reads)
            #expect(ledgers.indices.filter { (try? ledgers[$0].get()) == nil } == [3])
        }
    }

    @Test func `a read after a user's write shows it, and versions never decrease`() async throws {
        try await withWalkDatabase(connections: 8) { database in
            let wallet = database.wallet
            let users = Self.members.prefix(4)
            for user in users { try await database.buy(for: user, "first \(user.rawValue)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in users {
                    let caller = Caller.signedIn(user)
                    group.addTask {
                        for number in 2...25 {
                            try await database.buy(for: user, "next \(user.rawValue) \(number)")
                            let balance = try await wallet.balance(of: caller, in: .production)
                            #expect(balance.version == Int64(number) && balance.lots.count == number)
                            let page = try await wallet.transactions(of: caller, in: .production, page: PageRequest())
                            #expect(page.items.first?.version == Int64(number))
                        }
                    }
                    for _ in 0..<3 {
                        group.addTask {
                            var last: Int64 = 1
                            while last < 25 {
                                try Task.checkCancellation()
                                let version = try await wallet.balance(of: caller, in: .production).version
                                #expect(version >= last)
                                last = max(last, version)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await wallet.violations().isEmpty)
        }
    }
}

extension Caller {
    /// A caller with a token that is issued now, and a cache for its account.
    static func signedIn(_ user: UserID, issuedAt: Date = .now) -> Caller {
        Caller(user, issuedAt: issuedAt, isAnonymous: false, account: AdmittedAccount())
    }
}

extension WalkDatabase {
    /// Gives each user one pack more than the previous one, one to three bookings, and some of them a pass, a plan, a
    /// place on a waitlist and visits in the sandbox; opens an empty account for `newcomer`.
    fileprivate func makeMembers(_ users: [UserID]) async throws {
        for id in ["a", "b", "c"] { try await self.makeClass(id, credits: 1, seats: 100) }
        try await self.makeClass("full", credits: 1, seats: 1)
        try await self.buy(for: .ben, "ben")
        _ = try await self.wallet.book(BookingRequest(classID: "full"), for: .ben, in: .production, key: "full")
        for (number, user) in users.enumerated() {
            for pack in 0...number {
                try await self.buy(Self.pack("starter"), for: user, "pack \(user.rawValue) \(pack)")
            }
            for id in ["a", "b", "c"].prefix(1 + number % 3) {
                let new = BookingRequest(classID: id)
                let receipt = try await self.wallet.book(new, for: user, in: .production, key: id)
                guard id == "c" else { continue }
                _ = try await self.wallet.cancel(receipt.booking.bookingID, for: user, in: .production)
            }
            if number % 2 == 0 { try await self.buy("threeVisit", for: user, "pass \(user.rawValue)") }
            if number % 4 == 0 { try await self.subscribe(user) }
            if number % 5 == 0 {
                _ = try await self.wallet.joinWaitlist(WaitlistRequest(), of: "full", for: user, in: .production)
            }
            try await self.admin.query(
                """
                INSERT INTO admin.adjustments (reference, user_id, environment, unit, amount, reason)
                VALUES (\("sandbox \(number)"), \(user.rawValue), 'sandbox', 'visit', \(Int64(1 + number)), 'a test')
                """
            )
        }
        // The first token of an anonymous user opens the account.
        try await self.wallet.admit(
            Caller(UserID(rawValue: "newcomer"), issuedAt: .now, isAnonymous: true)
        )
    }

    private func subscribe(_ user: UserID) async throws {
        var fact = try await self.fact("plan \(user.rawValue)", "com.hobbyist.bookingapp.subscription.explorer")
        fact.kind = .subscription
        fact.originalTransactionID = "plan \(user.rawValue)"
        fact.expiresAt = fact.purchasedAt.addingTimeInterval(30 * 86_400)
        fact.willRenew = true
        _ = try await self.wallet.apply(fact, submittedBy: user)
    }

    /// Answers reads of users with accounts in one batch; at most 64.
    fileprivate func together<Kind>(
        _ reads: UserReads<Kind>,
        _ wanted: [UserRead]
    ) async throws -> [Result<Kind.Answer, WalletError>] {
        var items: [UserReads<Kind>.Item] = []
        for read in wanted {
            let caller = Caller(read.user, issuedAt: .now, isAnonymous: false)
            let account = try #require(try await self.wallet.admit(caller))
            items.append(UserReads<Kind>.Item(account: account, read: read))
        }
        let batch = items
        reads.queue.hold()
        async let answers = atOnce(batch.count) { number in
            (
                number,
                try await outcome { () throws -> Kind.Answer in
                    let answer = try await reads.answer(batch[number])
                    return try #require(answer)
                }
            )
        }
        while reads.queue.depth < batch.count { try await Task.sleep(for: .microseconds(200)) }
        reads.queue.release()
        return try await answers.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Expects that a batch answers each read as a statement for this read alone does.
    fileprivate func expectSame<Kind>(
        _ reads: UserReads<Kind>,
        _ wanted: [UserRead],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ text: (Kind.Answer) throws -> String = { "\($0)" }
    ) async throws {
        for (read, answer) in zip(wanted, try await self.together(reads, wanted)) {
            let single = try text(try await self.wallet.answer(Kind.self, to: read))
            #expect(try text(try answer.get()) == single, "\(read)", sourceLocation: sourceLocation)
        }
    }
}
