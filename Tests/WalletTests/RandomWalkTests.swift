import Foundation
import Synchronization
import TestSupport
import Testing

/// Walks at random through every operation, in the real database and in a model of the rules, and compares the two
/// after each step.
///
/// `WALK_SEEDS` says how many walks (300), `WALK_SEED` picks a single one to walk again.
@Suite(.serialized) struct RandomWalkTests {
    private static let steps = 60
    private static let workers: UInt64 = 4
    /// How many walks share a database: the invariants look at all of it.
    private static let walksPerDatabase = 20

    @Test(.timeLimit(.minutes(240))) func `every step of a random walk agrees with the model`() async throws {
        let seeds = Self.seeds
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<Self.workers {
                let mine = seeds.filter { $0 % Self.workers == worker }
                group.addTask { try await Self.walk(mine) }
            }
            try await group.waitForAll()
        }
    }

    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let only = environment["WALK_SEED"].flatMap(UInt64.init) { return [only] }
        return Array(1...(environment["WALK_SEEDS"].flatMap(UInt64.init) ?? 300))
    }

    private static func walk(_ seeds: [UInt64]) async throws {
        var rest = seeds[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.walksPerDatabase)
            rest = rest.dropFirst(Self.walksPerDatabase)
            try await withWalkDatabase { database in
                for seed in some { try await Self.walk(seed, in: database) }
            }
        }
    }

    private static func walk(_ seed: UInt64, in database: WalkDatabase) async throws {
        do {
            var driver = try await WalkDriver(seed: seed, database)
            try await driver.walk(steps: Self.steps)
        } catch let parting as WalkDriver.Parting {
            Issue.record("walk \(seed), \(parting)\n    again: WALK_SEED=\(seed)")
        }
    }
}
