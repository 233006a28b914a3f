import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Runs crowds that act concurrently on shared wallets and classes, with two workers that promote and settle.
///
/// Afterwards the books must match all answers. The number of crowds is a tenth of `WALK_SEEDS`, 20 by default.
@Suite(.serialized) struct CrowdTests {
    private static let members = 8
    private static let actsPerMember = 35

    @Test(.timeLimit(.minutes(120))) func `the books match every answer that a crowd received`() async throws {
        let seeds = ProcessInfo.processInfo.environment["WALK_SEEDS"].flatMap(UInt64.init) ?? 200
        try await withWalkDatabase(connections: 12) { database in
            var tally: [String: Int] = [:]
            for seed in 1...max(seeds / 10, 1) {
                tally.merge(try await Self.crowd(seed, database), uniquingKeysWith: +)
            }
            let violations = try await database.wallet.violations()
            #expect(violations.isEmpty)
            guard seeds >= 100 else { return }
            let missed = ["joined", "booked", "skipped", "done", "settled", "consumed", "already-consumed"].filter {
                tally[$0, default: 0] == 0
            }
            #expect(missed.isEmpty, "the crowds never came to these; they came to \(tally)")
        }
    }

    private static func crowd(_ seed: UInt64, _ database: WalkDatabase) async throws -> [String: Int] {
        var plan = CrowdPlan(seed: seed, now: try await database.wallet.now())
        for id in plan.classIDs { try await database.makeClass(id, credits: 20, seats: 2) }
        let crowd = Crowd(database, users: plan.users)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for member in 0..<Self.members {
                let acts = plan.acts(of: member, count: Self.actsPerMember)
                group.addTask { try await crowd.act(acts) }
            }
            for _ in 0..<2 { group.addTask { try await crowd.work(rounds: Self.actsPerMember) } }
            try await group.waitForAll()
        }
        _ = try await atOnce(2) { _ in try await crowd.workToTheEnd() }
        let answers = crowd.answers
        let books = try await CrowdBooks(plan, database)
        #expect(answers.keys.values.allSatisfy { $0.count == 1 }, "crowd \(seed): a key has two bookings")
        #expect(answers.consumed.values.allSatisfy { $0 == 1 }, "crowd \(seed): a reference took two visits")
        Self.compareBookings(seed, answers, books)
        Self.comparePromotions(seed, answers, books)
        Self.compareSeats(seed, plan, books)
        try await Self.compareBalances(seed, plan, answers, books, database)
        let violations = try await database.wallet.violations()
        #expect(violations.isEmpty, "crowd \(seed)")
        return answers.tally
    }

    private static func compareBookings(_ seed: UInt64, _ answers: Crowd.Answers, _ books: CrowdBooks) {
        let asked = books.bookings.filter { !$0.isPromoted }
        let found = Dictionary(asked.map { ($0.id, $0.amount) }, uniquingKeysWith: +)
        #expect(found == answers.bookings, "crowd \(seed)")
        // If a user cancels a booking of a cancelled class before the worker, the booking counts as cancelled by the
        // studio.
        let byUsers = books.bookings.filter { $0.cancelledBy == "user" || answers.cancelled.contains($0.id) }
        #expect(Set(byUsers.map(\.id)) == answers.cancelled, "crowd \(seed)")
        let byStudio = books.bookings.filter { $0.cancelledBy == "studio" }
        #expect(byStudio.allSatisfy { $0.returned == $0.amount }, "crowd \(seed)")
        #expect(byStudio.count { !answers.cancelled.contains($0.id) } == answers.settled, "crowd \(seed)")
    }

    /// Checks that no user is promoted more often than they joined, and that every promotion had one event.
    private static func comparePromotions(_ seed: UInt64, _ answers: Crowd.Answers, _ books: CrowdBooks) {
        let promoted = books.bookings.filter(\.isPromoted)
        #expect(promoted.count == answers.promotions[.booked, default: 0], "crowd \(seed)")
        for (place, bookings) in Dictionary(grouping: promoted, by: { "\($0.user) \($0.classID)" }) {
            #expect(bookings.count <= answers.joins[place, default: 0], "crowd \(seed), user and class \(place)")
        }
    }

    private static func compareSeats(_ seed: UInt64, _ plan: CrowdPlan, _ books: CrowdBooks) {
        for id in plan.classIDs {
            let standing = books.bookings.filter { $0.classID == id && $0.cancelledBy == nil }
            let owners = standing.map(\.user)
            #expect(Set(owners).count == owners.count, "crowd \(seed), \(id)")
            #expect(books.seats[id]?.sold == standing.reduce(0) { $0 + $1.seats }, "crowd \(seed), \(id)")
            #expect(books.seats[id]?.held == 0, "crowd \(seed), \(id)")
            #expect(books.seats[id]?.isCancelled == false || standing.isEmpty, "crowd \(seed), \(id)")
        }
    }

    private static func compareBalances(
        _ seed: UInt64,
        _ plan: CrowdPlan,
        _ answers: Crowd.Answers,
        _ books: CrowdBooks,
        _ database: WalkDatabase
    ) async throws {
        guard !plan.withRefunds else { return }
        let expected = books.balances(answers.sums)
        for (number, user) in plan.users.enumerated() {
            let balance = try await database.wallet.balance(of: user, in: .production)
            #expect(balance.credits == expected["\(number) credit", default: 0], "crowd \(seed), user \(number)")
            #expect(balance.visits == expected["\(number) visit", default: 0], "crowd \(seed), user \(number)")
        }
    }
}

extension Crowd.Answers {
    fileprivate var tally: [String: Int] {
        var tally = self.refusals
        tally["joined"] = self.joins.values.reduce(0, +)
        tally["settled"] = self.settled
        tally["consumed"] = self.consumed.count
        for (promotion, count) in self.promotions { tally["\(promotion)"] = count }
        return tally
    }
}
