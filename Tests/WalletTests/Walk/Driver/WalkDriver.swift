import Foundation
import Postgres
import Wallet

/// Runs one walk: performs every step in the model and in the database, and compares them after each.
struct WalkDriver {
    /// The first difference between model and database.
    struct Parting: Error, CustomStringConvertible {
        var description: String
    }

    /// When the walk checks the invariants, which read the whole database.
    enum Checks {
        case everyStep
        case atTheEnd
        case never
    }

    let database: WalkDatabase
    var plan: WalkPlan
    var books: Books
    var names: WalkNames
    /// The number of times that the walk produced each answer, refusal and kind of entry.
    private(set) var tally: [String: Int] = [:]
    private let checks: Checks
    /// A Boolean value that indicates whether user ids are sent in upper case.
    private(set) var isShouting = false
    /// The state of the database after the last step.
    private var last: WalkSnapshot?

    init(seed: UInt64, _ database: WalkDatabase, checks: Checks = .atTheEnd) async throws {
        let origin = try await database.startOfWalk()
        self.database = database
        self.checks = checks
        self.plan = WalkPlan(seed: seed, origin: origin)
        self.books = Books(
            now: origin.addingTimeInterval(1_801),
            grantsFrom: WalkDatabase.grantsFrom,
            tokens: self.plan.tokens
        )
        self.names = WalkNames(userIDs: self.plan.tokens.map { $0.uuidString.lowercased() })
    }

    mutating func walk(steps: Int) async throws {
        for step in self.plan.beginning(self.books) { try await self.take(step, "the beginning") }
        for number in 1...steps {
            try await self.take(self.plan.next(self.books), "step \(number)")
            let group = self.plan.group(self.books)
            if !group.isEmpty { try await self.takeTogether(group, "after step \(number)") }
        }
        for last in [WalkStep.sweep, .advance(hours: 200), .sweep] {
            while let step = self.plan.work(self.books) { try await self.take(step, "the last work") }
            try await self.take(last, "the end")
        }
        try await self.compareAtTheEnd()
        if self.checks != .never { try await self.checkInvariants("the end") }
        for entry in self.books.wallets.values.flatMap(\.entries) { self.tally[entry.kind, default: 0] += 1 }
        self.tally.merge(self.books.sights, uniquingKeysWith: +)
        for lot in self.books.wallets.values.flatMap(\.lots) where lot.isStartedByUse {
            self.tally[lot.item == 0 ? "started by use" : "started a lot of a bundle by use", default: 0] += 1
        }
        for lot in self.books.wallets.values.flatMap(\.lots) where lot.lapsed > 0 {
            self.tally["lapsed \(lot.source)", default: 0] += 1
            if let until = lot.reopenedUntil, until <= self.books.now { self.tally["lapsed reopened", default: 0] += 1 }
        }
        try await self.database.admin.query(
            """
            UPDATE admin.products SET is_active = FALSE
            FROM (SELECT set_config('wallet.bulk', 'on', TRUE) AS bulk) AS s
            WHERE s.bulk = 'on' AND product_id LIKE \("walk\(self.plan.seed).%")
            """
        )
    }

    private mutating func take(_ step: WalkStep, _ place: String) async throws {
        let before = self.books
        let answer: WalkAnswer
        self.isShouting.toggle()
        do {
            answer = try await self.perform(step)
        } catch {
            throw Parting(description: "\(place): \(step)\n    failed: \(String(reflecting: error))")
        }
        let snapshot = try await WalkSnapshot(
            of: self.names.userIDs,
            classIDs: self.plan.classIDs,
            on: self.database.root
        )
        let settled = self.settled(by: step, snapshot)
        self.last = snapshot
        let expected = self.books.take(step, settled: settled)
        if case .merge = step { self.names.lots = self.books.lotsByID }
        self.books.learn(snapshot, &self.names)
        self.tally[answer.label, default: 0] += 1
        try Self.compare(place, step, self.books.text(expected), self.names.text(answer))
        try Self.compare(place, step, self.books.lines, snapshot.lines(self.names), before.lines)
        try await self.compareBalance(place, step)
        if self.checks == .everyStep { try await self.checkInvariants("\(place): \(step)") }
    }

    /// Performs bookings and cancellations that the queue decides as one group; the result equals that of single steps.
    private mutating func takeTogether(_ steps: [WalkStep], _ place: String) async throws {
        let before = self.books
        let answers = try await self.performTogether(steps)
        let snapshot = try await WalkSnapshot(
            of: self.names.userIDs,
            classIDs: self.plan.classIDs,
            on: self.database.root
        )
        self.last = snapshot
        // Formats each answer at once, because later steps of the group may change the same booking.
        var expected: [String] = []
        for (number, step) in steps.enumerated() {
            let answer = self.books.take(step, atOnce: number > 0)
            expected.append(self.books.text(answer))
        }
        self.books.learn(snapshot, &self.names)
        for (number, step) in steps.enumerated() {
            self.tally["\(answers[number].label)", default: 0] += 1
            self.tally["grouped", default: 0] += 1
            let place = "\(place), \(number + 1) of a group of \(steps.count)"
            try Self.compare(place, step, expected[number], self.names.text(answers[number]))
        }
        try Self.compare(place, steps[0], self.books.lines, snapshot.lines(self.names), before.lines)
        if self.checks == .everyStep { try await self.checkInvariants("\(place): \(steps)") }
    }

    /// Returns the bookings that a settling step changed in the database.
    private func settled(by step: WalkStep, _ snapshot: WalkSnapshot) -> [Int] {
        guard case .settle = step else { return [] }
        return snapshot.changed(since: self.last).compactMap { self.names.bookings[$0] }
    }

    static func compare(_ place: String, _ step: WalkStep, _ expected: String, _ found: String) throws {
        guard expected != found else { return }
        throw Parting(description: "\(place): \(step)\n    model:    \(expected)\n    database: \(found)")
    }

    private static func compare(
        _ place: String,
        _ step: WalkStep,
        _ expected: [String],
        _ found: [String],
        _ before: @autoclosure () -> [String]
    ) throws {
        guard expected != found else { return }
        let model = Set(expected).subtracting(found).sorted()
        let database = Set(found).subtracting(expected).sorted()
        let old = Set(before()).subtracting(expected).sorted()
        throw Parting(
            description: "\(place): \(step)\n    model:    \(model.joined(separator: "\n              "))"
                + "\n    database: \(database.joined(separator: "\n              "))"
                + "\n    before:   \(old.joined(separator: "\n              "))"
        )
    }
}
