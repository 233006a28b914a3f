import Foundation
import SandboxStores
import Synchronization
import Testing

@Suite
struct ClockTests {
    private struct DatabaseGone: Error {}

    @Test
    func `a clock move passes the whole offset to the hook and shifts the purchases' dates`() async throws {
        let heard = Mutex<[Int]>([])
        try await Stores.run(Stores.configuration(onClockAdvance: { offset in heard.withLock { $0.append(offset) } })) {
            let before = Date().timeIntervalSince1970
            #expect(try await $0.get("/sandbox/clock").number("offset_seconds") == 0)
            #expect(try await $0.post("/sandbox/clock", ["advance_seconds": 86_400]).number("offset_seconds") == 86_400)
            let moved = try await $0.post("/sandbox/clock", ["advance_seconds": 60])
            #expect(moved.number("offset_seconds") == 86_460)
            let now = try Date.ISO8601FormatStyle().parse(try #require(moved.text("now")))
            #expect(abs(now.timeIntervalSince1970 - before - 86_460) < 30)
            let receipt = try await $0.buy().text("receipt")
            let entry = try await $0.verify(receipt).object("receipt")?.list("in_app").first
            let bought = try #require(entry?.text("purchase_date_ms").flatMap(Double.init)) / 1_000
            #expect(abs(bought - before - 86_460) < 30)
        }
        #expect(heard.withLock { $0 } == [86_400, 86_460])
    }

    @Test
    func `the clock does not move if the hook fails`() async throws {
        try await Stores.run(Stores.configuration(onClockAdvance: { _ in throw DatabaseGone() })) {
            stores async throws in
            #expect(try await stores.post("/sandbox/clock", ["advance_seconds": 5]).status == 503)
            #expect(try await stores.get("/sandbox/clock").number("offset_seconds") == 0)
        }
    }

    @Test(arguments: [-1, -86_400, Int.max])
    func `the clock never moves back or out of the calendar`(seconds: Int) async throws {
        try await Stores.run { stores async throws in
            #expect(try await stores.post("/sandbox/clock", ["advance_seconds": seconds]).status == 400)
        }
    }

    @Test
    func `concurrent moves add up`() async throws {
        let heard = Mutex<[Int]>([])
        let configuration = Stores.configuration { offset in
            try await Task.sleep(for: .milliseconds(5))
            heard.withLock { $0.append(offset) }
        }
        try await Stores.run(configuration) { stores async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask { _ = try await stores.post("/sandbox/clock", ["advance_seconds": 10]) }
                }
                try await group.waitForAll()
            }
            #expect(try await stores.get("/sandbox/clock").number("offset_seconds") == 100)
        }
        #expect(heard.withLock { $0 } == Array(stride(from: 10, through: 100, by: 10)))
    }
}
