import Foundation
import Synchronization
import TestSupport
import Testing

/// Performs random walks through every operation in the real database and in a model of the rules, and compares the two
/// after each step.
///
/// The first walks in a database check the invariants after each step. Later walks check them only at the end of the
/// last walk, because the invariants read everything that earlier walks left there.
///
/// `WALK_SEEDS` sets the number of walks (200), `WALK_FIRST` the seed of the first (1), and `WALK_SEED` selects one walk
/// to repeat.
@Suite(.serialized) struct RandomWalkTests {
    private static let steps = 80
    private static let workers: UInt64 = 4
    /// The number of walks that share a database.
    private static let walksPerDatabase = 10
    /// The number of walks per database that check the invariants after each step.
    private static let strictWalks = 2

    // Guarantee: never-overspent, refunds-exact, cancellations-exact, books-add-up
    @Test(.timeLimit(.minutes(240))) func `every step of a random walk agrees with the model`() async throws {
        let seeds = Self.seeds
        let tally = try await withThrowingTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<Self.workers {
                let mine = seeds.filter { $0 % Self.workers == worker }
                group.addTask { try await Self.walk(mine) }
            }
            return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        print("walks: \(seeds.count) walks of \(Self.steps) steps, each compared with the model")
        guard seeds.count >= 100 else { return }
        let missed = (Self.sights + Self.studioSights).filter { tally[$0, default: 0] == 0 }
        #expect(missed.isEmpty, "the walks never came to these; they came to \(tally)")
    }

    /// The results that the walks must produce, or they would prove little: kinds of entries, refusals, reasons.
    private static let sights = [
        "grant", "spend", "return", "lapse", "refund", "refund_reversal", "repay", "repay_return", "adjust",
        "granted", "granted before", "transaction-already-claimed", "account-token-mismatch", "family-shared",
        "pending", "refunded", "before-cut-over", "unknown-product", "booked", "booked unlimited", "replayed booked",
        "cancelled", "cancelled late", "cancelled unlimited", "replayed cancelled", "insufficient-credits",
        "class-not-found", "class-closed", "already-booked", "class-full", "payment-not-accepted", "price-changed",
        "idempotency-key-reused", "grouped", "booking-not-found", "not-cancellable", "capacity-below-sold",
        "reason-required",
        "amount-is-zero", "reference-reused", "invalid-balance", "quote", "session",
    ]

    /// The same for waitlists, limits, changes of whole classes, ending plans, and passes.
    private static let studioSights = [
        "joined", "waits already", "already-waiting", "seats-available", "waitlist-closed", "promotion: booked",
        "promotion: skipped", "promotion: done", "promoted past others", "promoted unlimited", "held seats taken away",
        "too-many-seats", "booking-not-open", "booking-closed", "too-far-ahead", "overlapping-booking",
        "sent away from the waitlist", "settled 0", "settled 1", "settled 2", "told of a move",
        "cancelled by user", "cancelled by user after a move", "cancelled by studio", "cancelled by wallet",
        "reopened", "lapsed reopened", "consumed", "replayed consumed",
        "already-consumed", "purchase-without-visits", "purchase-not-found", "adjusted", "replayed adjustment",
        "gift-not-positive",
        "expiry-passed", "import: imported", "import: unchanged", "import: changed",
        "lapsed pass", "lapsed plan", "lapsed promo", "lapsed adjustment",
        "admitted", "merged", "not-mergeable", "unauthenticated", "merged, first named by a store",
        "merged, first named by an operator", "merged, first named by a token", "booked twice", "merged a debt",
        "merged a subscription", "merged a booking", "merged a place on a waitlist", "transfer_in",
        "fee", "fee_return", "charged a fee", "owes a fee", "gave a strike", "withdrew a consequence",
        "booking-blocked",
        "marked attended", "marked no_show", "marked excused", "marked unmarked", "marked already",
        "attendance-not-open", "booking-cancelled", "checked in", "check-in-not-open", "check-in-closed",
        "already-marked", "waived a price", "waived a consequence", "nothing-to-waive", "policy changed",
        "unmarked by a move", "cancelled after a mark", "merged a consequence",
        "granted a bundle", "refunded part of a bundle", "merged a bundle", "consumed of a bundle", "started by use",
        "started a lot of a bundle by use",
        "granted another plan", "renewed with several plans", "refunded one plan", "consumed of several products",
    ]

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let only = environment["WALK_SEED"].flatMap(UInt64.init) { return [only] }
        let first = environment["WALK_FIRST"].flatMap(UInt64.init) ?? 1
        return Array(first..<(first + (environment["WALK_SEEDS"].flatMap(UInt64.init) ?? 200)))
    }

    private static func walk(_ seeds: [UInt64]) async throws -> [String: Int] {
        var tally: [String: Int] = [:]
        var rest = seeds[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.walksPerDatabase)
            rest = rest.dropFirst(Self.walksPerDatabase)
            try await withWalkDatabase { database in
                for (number, seed) in some.enumerated() {
                    let checks: WalkDriver.Checks =
                        number < Self.strictWalks ? .everyStep : number == some.count - 1 ? .atTheEnd : .never
                    tally.merge(try await Self.walk(seed, in: database, checks), uniquingKeysWith: +)
                }
            }
        }
        return tally
    }

    private static func walk(
        _ seed: UInt64,
        in database: WalkDatabase,
        _ checks: WalkDriver.Checks
    ) async throws -> [String: Int] {
        do {
            var driver = try await WalkDriver(seed: seed, database, checks: checks)
            try await driver.walk(steps: Self.steps)
            return driver.tally
        } catch {
            // A thrown error would cancel the other workers' walks.
            Issue.record("walk \(seed), \(error)\n    again: WALK_SEED=\(seed)")
            return [:]
        }
    }
}
