import Foundation

/// The orders in which a story's reports arrive.
struct Orders {
    /// The maximum number of store reports for which every order is tried; for more, orders are chosen at random.
    static let exhaustive = 6
    /// The number of orders that are chosen at random, from `CONVERGENCE_ORDERS`.
    static let drawn = ProcessInfo.processInfo.environment["CONVERGENCE_ORDERS"].flatMap { Int($0) }
    private static let drawnByDefault = 6
    /// The number of orders up to which all are tried by default: those of four reports.
    private static let allByDefault = 24

    private let reports: [Report]
    private var generator: Lots

    init(of reports: [Report], seed: UInt64) {
        self.reports = reports
        self.generator = Lots(state: seed)
    }

    /// Returns orders of the reports' indices: the natural order first, then orders that also repeat some reports.
    mutating func all() -> [[Int]] {
        let natural = Array(self.reports.indices)
        let movable = natural.filter { ![.app, .look].contains(self.reports[$0].source) }
        let orders = self.permutations(of: movable)
        return [natural] + orders.map { self.whole($0) }
    }

    private mutating func permutations(of numbers: [Int]) -> [[Int]] {
        let limit = Self.drawn ?? Self.drawnByDefault
        let count = (1...max(1, numbers.count)).reduce(1) { $0 > 10_000 ? $0 : $0 * $1 }
        // Tries every order if there are few, or if `CONVERGENCE_ORDERS` is set.
        if numbers.count <= Self.exhaustive && (count <= Self.allByDefault || Self.drawn != nil) {
            return Self.everyOrder(of: numbers)
        }
        return (0..<limit).map { _ in numbers.shuffled(using: &self.generator) }
    }

    private static func everyOrder(of numbers: [Int]) -> [[Int]] {
        guard !numbers.isEmpty else { return [[]] }
        return numbers.flatMap { first in
            self.everyOrder(of: numbers.filter { $0 != first }).map { [first] + $0 }
        }
    }

    /// Inserts the app's reports and repetitions at random places: each report in its phase, each repetition not before
    /// it.
    private mutating func whole(_ movable: [Int]) -> [Int] {
        var order = movable
        for number in self.reports.indices where !movable.contains(number) {
            order.insert(number, at: Int.random(in: 0...order.count, using: &self.generator))
        }
        order = order.enumerated()
            .sorted { (self.reports[$0.element].phase, $0.offset) < (self.reports[$1.element].phase, $1.offset) }
            .map(\.element)
        let repeatable = self.reports.indices.filter { !self.reports[$0].isBooking }
        for _ in 0..<Int.random(in: 0...3, using: &self.generator) {
            guard let number = repeatable.randomElement(using: &self.generator) else { break }
            let phase = self.reports[number].phase
            let first = order.firstIndex { self.reports[$0].phase >= phase } ?? 0
            order.insert(number, at: Int.random(in: first...order.count, using: &self.generator))
        }
        return order
    }
}

/// A random number generator with a one-word state, so that a seed always gives the same orders.
struct Lots: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
