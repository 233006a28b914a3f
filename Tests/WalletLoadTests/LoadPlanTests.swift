import NIOCore
import Testing

@testable import WalletLoad

@Suite struct LoadPlanTests {
    private static func plan(_ pace: LoadPlan.Pace, ramp: Int) throws -> LoadPlan {
        LoadPlan(
            target: try LoadTarget(url: "http://127.0.0.1:8080", allowedHost: nil),
            pace: pace,
            duration: 5,
            ramp: ramp,
            connections: 10,
            timeout: 10,
            pattern: .uniform,
            zipfExponent: 1,
            cancelled: 0,
            reads: 0,
            seed: 1,
            run: "x"
        )
    }

    @Test func `an open loop grows evenly to its rate, and then keeps the rate`() throws {
        let plan = try Self.plan(.open(rate: 100), ramp: 4)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        // The mean is half of the rate for four seconds, then the full rate for five.
        let total = try #require(plan.total)
        #expect(total == 700)
        let seconds = (0..<total).compactMap { number in
            plan.instant(of: number, from: start, now: start).map { Double(($0 - start).nanoseconds) / 1_000_000_000 }
        }
        let each = (0..<9).map { second in seconds.count { $0 >= Double(second) && $0 < Double(second + 1) } }
        #expect(seconds.count == 700)
        #expect(seconds == seconds.sorted())
        for (found, expected) in zip(each, [12.5, 37.5, 62.5, 87.5, 100, 100, 100, 100, 100]) {
            #expect(abs(Double(found) - expected) <= 1)
        }
        #expect(plan.instant(of: 700, from: start, now: start) == nil)
    }

    @Test func `without growth an open loop is even`() throws {
        let plan = try Self.plan(.open(rate: 10), ramp: 0)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        #expect(plan.total == 50)
        #expect(plan.instant(of: 0, from: start, now: start) == start)
        #expect(plan.instant(of: 20, from: start, now: start) == start + .seconds(2))
        #expect(plan.joining(after: 3, from: start) == nil)
    }

    @Test func `the clients of a closed loop start one after the other`() throws {
        let plan = try Self.plan(.closed, ramp: 4)
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        #expect(plan.joining(after: 0, from: start) == start)
        #expect(plan.joining(after: 5, from: start) == start + .seconds(2))
        #expect(plan.joining(after: 10, from: start) == nil)
        let end = start + .seconds(9)
        #expect(plan.instant(of: 1, from: start, now: end - .nanoseconds(1)) != nil)
        #expect(plan.instant(of: 1, from: start, now: end) == nil)
    }
}
