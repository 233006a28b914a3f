import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Crowds that do everything at once on shared wallets and classes.
///
/// Afterwards the books hold exactly what was answered. `WALK_SEEDS` scales how many crowds there are: a tenth of it,
/// 30 by default.
@Suite(.serialized) struct CrowdTests {
    private static let members = 8
    private static let actsPerMember = 25

    @Test(.timeLimit(.minutes(120))) func `what a crowd was answered is what the books hold`() async throws {
        let seeds = ProcessInfo.processInfo.environment["WALK_SEEDS"].flatMap(UInt64.init) ?? 300
        try await withWalkDatabase(connections: 12) { database in
            for seed in 1...max(seeds / 10, 1) { try await Self.crowd(seed, database) }
            let violations = try await database.wallet.violations()
            #expect(violations.isEmpty)
        }
    }

    private static func crowd(_ seed: UInt64, _ database: WalkDatabase) async throws {
        var plan = CrowdPlan(seed: seed, now: try await database.wallet.now())
        for id in plan.classIDs { try await database.makeClass(id, credits: 20, seats: 3) }
        let crowd = Crowd(database, users: plan.users)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for member in 0..<Self.members {
                let acts = plan.acts(of: member, count: Self.actsPerMember)
                group.addTask { try await crowd.act(acts) }
            }
            try await group.waitForAll()
        }
        let answers = crowd.answers
        #expect(answers.keys.values.allSatisfy { $0.count == 1 }, "crowd \(seed): a key has two bookings")
        try await Self.compareBookings(seed, plan, answers, database)
        try await Self.compareSeats(seed, plan, answers, database)
        for (number, user) in plan.users.enumerated() {
            let balance = try await database.wallet.balance(of: user, in: .production)
            guard !plan.withRefunds else { continue }
            #expect(balance.credits == answers.credits[number, default: 0], "crowd \(seed), user \(number)")
        }
        let violations = try await database.wallet.violations()
        #expect(violations.isEmpty, "crowd \(seed)")
    }

    private static func compareBookings(
        _ seed: UInt64,
        _ plan: CrowdPlan,
        _ answers: Crowd.Answers,
        _ database: WalkDatabase
    ) async throws {
        var found: [UUID: String] = [:]
        for user in plan.users {
            let bookings = try await allPages(limit: 100) { page in
                try await database.wallet.bookings(of: user, in: .production, filter: nil, page: page)
            }
            for booking in bookings { found[booking.bookingID] = "\(booking.status) \(booking.amount)" }
        }
        let expected = answers.bookings.reduce(into: [UUID: String]()) { texts, booking in
            let status = answers.cancelled.contains(booking.key) ? "cancelled" : "booked"
            texts[booking.key] = "\(status) \(booking.value)"
        }
        #expect(found == expected, "crowd \(seed)")
    }

    private static func compareSeats(
        _ seed: UInt64,
        _ plan: CrowdPlan,
        _ answers: Crowd.Answers,
        _ database: WalkDatabase
    ) async throws {
        for id in plan.classIDs {
            let standing = answers.seats.filter { $0.value.classID == id && !answers.cancelled.contains($0.key) }
            let sold = standing.values.reduce(0) { $0 + $1.seats }
            let session = try await database.wallet.classSession(id, in: .production)
            #expect(session.capacity - session.seatsLeft == sold, "crowd \(seed), \(id)")
            #expect(session.seatsLeft >= 0, "crowd \(seed), \(id)")
        }
    }
}
