import Foundation
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing
import Wallet

/// Runs crowds with all acts, including changes of ownership, through several instances of the service.
///
/// The answers cannot be added up here. The test checks the end state instead: the invariants, the ledgers' hashes, the
/// balance of all wallets together, and the ownership of everything. `CROWD_SECONDS` sets for how long new crowds are
/// started (10), `CROWD_FIRST` the seed of the first (1), and `CROWD_SEED` selects a single one.
@Suite(.serialized) struct UpheavalTests {
    private static let members = 8
    private static let actsPerMember = 60
    private static let instances = 4

    // Guarantee: cancellations-exact, books-add-up
    @Test(.timeLimit(.minutes(600))) func `no change of ownership loses, creates or misdirects credits`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["CROWD_SECONDS"].flatMap(Double.init) ?? 10
        let end = ContinuousClock.now + .seconds(seconds)
        let first = (environment["CROWD_SEED"] ?? environment["CROWD_FIRST"]).flatMap(UInt64.init) ?? 1
        var seed = first
        var deadlocks: Int64 = 0
        var steps = 0
        repeat {
            deadlocks += try await Self.crowd(seed)
            steps += Self.members * Self.actsPerMember
            seed += 1
        } while environment["CROWD_SEED"] == nil && ContinuousClock.now < end
        print("crowds: \(seed - first) crowds, \(steps) steps, \(deadlocks) deadlocks")
    }

    /// Runs a crowd, checks the end state, and returns the number of deadlocks.
    private static func crowd(_ seed: UInt64) async throws -> Int64 {
        try await withWalkDatabase { database in
            // Deadlocks are counted; a short timeout ends them quickly.
            try await database.root.query(
                "ALTER DATABASE \(unescaped: database.database.name) SET deadlock_timeout = '50ms'"
            )
            try await database.root.query("UPDATE wallet.products SET freeze_days = 20 WHERE kind <> 'pack'")
            // Bundles with visits whose validity starts at the first use.
            try await database.root.query(
                """
                UPDATE wallet.products SET
                    bundle_items = ARRAY[ROW('visit', 2, 20, 40), ROW('credit', 3, NULL, NULL)]::wallet.bundle_item[]
                WHERE product_id IN ('fiveVisit', \(WalkDatabase.pack("starter")))
                """
            )
            try await Self.makePolicies(database)
            let owner = Pool(patient: database.database.url, connections: 4)
            let url = try database.database.serviceURL
            let pools = (0..<Self.instances).map { _ in Pool(patient: url, connections: 4) }
            let now = try await database.wallet.now()
            var plan = CrowdPlan(seed: seed, now: now, scope: .everything)
            for (number, id) in plan.classIDs.enumerated() {
                try await database.makeClass(id, credits: 20, seats: 2, hours: [1, 3, 6, 48][number])
            }
            for (number, policy) in CrowdPlan.policyIDs.enumerated() {
                try await database.admin.query(
                    "UPDATE admin.classes SET policy_id = \(policy) WHERE class_id = \(plan.classIDs[number])"
                )
            }
            try await Self.makeSeries(plan, database)
            let crowd = Crowd(
                database,
                users: plan.users,
                instances: pools.map { Wallet(pool: $0) },
                owner: Wallet(pool: owner)
            )
            // The last two users are already admitted: a store, an import or an administrator may name the other
            // anonymous ones first.
            for user in plan.users.suffix(2) {
                try await database.wallet.admit(Caller(user, issuedAt: now, isAnonymous: true))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for member in 0..<Self.members {
                    let acts = plan.acts(of: member, count: Self.actsPerMember)
                    group.addTask { try await crowd.act(acts, member: member) }
                }
                for _ in 0..<2 { group.addTask { try await crowd.work(rounds: Self.actsPerMember / 4) } }
                try await group.waitForAll()
            }
            try await crowd.workToTheEnd()
            while try await crowd.endPlans() {}
            // A message that found a wallet busy is retried some seconds later.
            for _ in 0..<5 {
                while try await crowd.processInbox() {}
                try await database.advance(60)
            }
            try await crowd.workToTheEnd()
            for pool in pools { await pool.close() }
            try await Self.judge(seed, plan, crowd, database)
            await owner.close()
            return try await Self.deadlocks(database)
        }
    }

    /// Creates a policy with fees, and one with fees and strikes.
    private static func makePolicies(_ database: WalkDatabase) async throws {
        let terms: [(fee: Int64, strike: Bool)] = [(3, false), (1, true)]
        for (id, terms) in zip(CrowdPlan.policyIDs, terms) {
            try await database.admin.query(
                """
                INSERT INTO admin.policies (
                    policy_id, name, free_minutes_before, late_cancel_fee, late_cancel_strike, no_show_fee,
                    no_show_strike, strikes_allowed, strike_days, block_days
                ) VALUES (
                    \(id), 'A policy', 120, \(terms.fee), \(terms.strike), \(terms.fee * 2),
                    \(terms.strike), 1, 30, 1
                )
                """
            )
        }
    }

    private static func makeSeries(_ plan: CrowdPlan, _ database: WalkDatabase) async throws {
        try await database.root.query(
            """
            INSERT INTO admin.series (
                series_id, title, weekdays, start_time, minutes, time_zone, from_date, create_days_ahead, capacity,
                price_credits
            ) VALUES (
                \(plan.series.id), 'Yoga', '{monday,tuesday,wednesday,thursday,friday,saturday,sunday}', '12:00', 60,
                'UTC', \(plan.series.from)::text::date, 3, 2, 20
            )
            """
        )
    }

    private static func judge(
        _ seed: UInt64,
        _ plan: CrowdPlan,
        _ crowd: Crowd,
        _ database: WalkDatabase
    ) async throws {
        let answers = crowd.answers
        let violations = try await database.wallet.violations().map { "\($0)" }
        let hashes = try await crowd.owner.rehashedViolations().map { "\($0)" }
        var wrong = violations + hashes
        wrong += try await database.imbalances()
        wrong += try await database.misplaced()
        wrong += try await database.droppedForOthers(answers.told)
        if answers.refusals["user-id-ambiguous", default: 0] > 0 { wrong.append("a user id was ambiguous") }
        for (number, id) in plan.classIDs.enumerated() {
            let session = try await database.wallet.classSession(id, in: .production)
            let hours = Double([1, 3, 6, 48][number] + answers.delays[id, default: 0])
            let late = session.startsAt.timeIntervalSince(plan.now) - hours * 3_600
            if abs(late) > 1_800 { wrong.append("\(id) starts \(late) s later than it was told to") }
        }
        for problem in wrong {
            let story = try await Self.story(of: problem, answers.history, database)
            Issue.record("crowd \(seed): \(problem)\n    again: CROWD_SEED=\(seed)\(story)")
        }
    }

    /// Returns the crowd's acts on the lots and claims that a problem names, in order, and the final state of these.
    private static func story(
        of problem: String,
        _ history: [String],
        _ database: WalkDatabase
    ) async throws -> String {
        let rows = try await database.root.query(
            """
            SELECT array_remove(ARRAY[c.transaction_id, c.app_transaction_id], NULL) AS names,
                array_to_string(ARRAY[to_jsonb(l)::text, to_jsonb(c)::text] || ARRAY(
                    SELECT to_jsonb(e)::text FROM wallet.entries AS e
                    WHERE e.lot_id = l.lot_id OR e.claim_id = c.claim_id ORDER BY e.at, e.account_id, e.version
                ), E'\n    ') AS books
            FROM wallet.claims AS c FULL JOIN wallet.lots AS l ON c.claim_id = coalesce(l.claim_id, l.rolled_from)
            LEFT JOIN wallet.subscriptions AS s
                ON c.store = s.store AND c.environment = s.environment AND c.chain_id = s.original_transaction_id
            WHERE strpos(\(problem), coalesce('lot ' || l.lot_id, '-')) > 0
                OR \(problem) ~ ('claim ' || c.claim_id || '([^0-9]|$)')
                OR \(problem) ~ ('subscription ' || s.subscription_id || '([^0-9]|$)')
            """
        )
        guard !rows.isEmpty else { return "" }
        let names = try rows.flatMap { try $0.decode("names", as: [String].self).map { "\"\($0)\"" } }
        let everybody = ["delete", "merge", "transfer", "addProduct", "processInbox"].map { "Upheaval.\($0)" }
        // A member's answers belong to its preceding act.
        var isShown: [Substring: Bool] = [:]
        let told = history.filter { line in
            let member = line.prefix { $0 != ":" }
            if line.contains(": does ") { isShown[member] = (names + everybody).contains { line.contains($0) } }
            return isShown[member, default: false]
        }
        let books = try rows.map { try $0.decode("books", as: String.self) }
        return (told + books).map { "\n    \($0)" }.joined()
    }

    private static func deadlocks(_ database: WalkDatabase) async throws -> Int64 {
        // PostgreSQL counts a connection's deadlocks when the connection ends.
        try await Task.sleep(for: .milliseconds(200))
        let rows = try await database.root.query(
            """
            SELECT pg_stat_get_db_deadlocks(d.oid) AS deadlocks FROM pg_database AS d
            WHERE d.datname = current_database()
            """
        )
        return try rows.first?.decode("deadlocks") ?? 0
    }
}
