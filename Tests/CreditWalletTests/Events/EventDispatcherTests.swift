import Crypto
import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

@testable import CreditWallet

@Suite struct EventDispatcherTests {
    @Test(.database) func `every event is sent once, in order and signed`() async throws {
        try await EventBench.run { bench in
            try await bench.give(Array(1...7))
            let dispatcher = try bench.dispatcher()
            try await bench.send(dispatcher, until: 7)
            try await dispatcher.sendDue()

            let messages = bench.receiver.messages
            #expect(messages.map { $0.data["amount"] as? Int } == Array(1...7))
            #expect(Set(messages.compactMap { $0.header("webhook-id") }).count == 7)
            for message in messages {
                let id = try #require(message.header("webhook-id"))
                let timestamp = try #require(message.header("webhook-timestamp").flatMap { Int($0) })
                #expect(abs(Double(timestamp) - Date.now.timeIntervalSince1970) < 60)
                let code = HMAC<SHA256>.authenticationCode(
                    for: Data("\(id).\(timestamp).\(message.body)".utf8),
                    using: SymmetricKey(data: Data(repeating: 7, count: 24))
                )
                #expect(message.header("webhook-signature") == "v1,\(Data(code).base64EncodedString())")
                #expect(message.header("content-type") == "application/json")
                #expect(id == "evt_\(message.data["event_id"] as? Int ?? 0)")
            }
            #expect(try await bench.deliveries() == Array(repeating: "delivered 1", count: 7))
        }
    }

    @Test(.database) func `failed deliveries are retried on schedule with the same id until they are dead`()
        async throws
    {
        try await EventBench.run { bench in
            try await bench.give([5])
            let dispatcher = try bench.dispatcher()
            let pauses: [Double] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
            for (attempt, pause) in pauses.enumerated() {
                bench.receiver.answer(.status(500))
                try await bench.send(dispatcher, until: attempt + 1)
                let delivery = try #require(try await bench.deliveries().first)
                #expect(delivery.hasPrefix("pending \(attempt + 1) status 500 "))
                let wait = try #require(delivery.split(separator: " ").last.flatMap { Double($0) })
                // On a busy machine, seconds pass before this line.
                #expect(wait <= pause && wait > pause - 60, "\(delivery)")
                if pause > 60 {
                    try await dispatcher.sendDue()
                    #expect(bench.receiver.messages.count == attempt + 1, "not before its time")
                }
                try await bench.advance(pause + 1)
            }
            bench.receiver.answer(.status(500))
            try await bench.send(dispatcher, until: 10)
            #expect(try await bench.deliveries() == ["dead 10 status 500"])
            try await bench.advance(30 * 86_400)
            try await dispatcher.sendDue()
            #expect(bench.receiver.messages.count == 10)

            // An administrator replays it.
            try await bench.query("UPDATE admin.outbox SET status = 'pending' WHERE status = 'dead'")
            try await bench.send(dispatcher, until: 11)
            #expect(try await bench.deliveries() == ["delivered 1"])
            #expect(Set(bench.receiver.messages.compactMap { $0.header("webhook-id") }).count == 1)
            #expect(Set(bench.receiver.messages.map(\.body)).count == 1)
        }
    }

    @Test(.database) func `silence, a refused connection and a redirect are failures; no redirect is followed`()
        async throws
    {
        try await EventBench.run { bench in
            try await bench.give([1])
            bench.receiver.answer(.hang(.seconds(30)))
            // The request must reach the endpoint within the timeout, on a busy machine too.
            try await bench.send(bench.dispatcher(timeout: .seconds(10)), until: 1)
            #expect(try await bench.deliveries().first?.hasPrefix("pending 1 unreachable") == true)

            try await bench.advance(10)
            try await bench.dispatcher(url: "http://127.0.0.1:1/hook").sendDue()
            #expect(try await bench.deliveries().first?.hasPrefix("pending 2 unreachable") == true)

            for (attempt, code) in [(3, 302), (4, 307), (5, 308)] {
                try await bench.advance(86_400)
                bench.receiver.answer(.redirect(code))
                try await bench.dispatcher().sendDue()
                #expect(try await bench.deliveries().first?.hasPrefix("pending \(attempt) status \(code)") == true)
            }
            #expect(bench.receiver.messages.allSatisfy { $0.path == "/hook" })
        }
    }

    @Test(.database) func `a response body that does not end delays no other event`() async throws {
        try await EventBench.run { bench in
            try await bench.give([1, 2])
            bench.receiver.answer(.endless, .status(200))
            let slowest = try await bench.send(bench.dispatcher(), until: 2)
            // The body goes on for a minute.
            #expect(slowest < .seconds(30))
            #expect(try await bench.deliveries() == ["delivered 1", "delivered 1"])
        }
    }

    @Test(.database) func `events of several accounts are sent in parallel, those of one account in order`()
        async throws
    {
        try await EventBench.run { bench in
            bench.receiver.delay(.milliseconds(200))
            let users = (1...15).map { "user-\($0)" }
            for amount in 1...4 {
                for user in users { try await bench.give([amount], to: user) }
            }
            try await bench.send(bench.dispatcher(), until: 60)

            #expect(bench.receiver.mostAtOnce > 1)
            let messages = bench.receiver.messages
            #expect(messages.count == 60)
            for user in users {
                let own = messages.filter { $0.data["user_id"] as? String == user }
                #expect(own.compactMap { $0.data["amount"] as? Int } == [1, 2, 3, 4])
            }
        }
    }

    @Test(.database) func `two dispatchers at once deliver nothing twice`() async throws {
        try await EventBench.run { bench in
            try await bench.give(Array(1...60))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await bench.send(bench.dispatcher(), until: 60) }
                }
                try await group.waitForAll()
            }

            let ids = bench.receiver.messages.compactMap { $0.header("webhook-id") }
            #expect(ids.count == 60)
            #expect(Set(ids).count == 60)
        }
    }

    @Test(.database) func `events that a killed dispatcher had leased are sent after the lease ends`() async throws {
        try await EventBench.run { bench in
            try await bench.give([1])
            var lined = 0
            while lined == 0 { lined = try await bench.wallet.enqueueDeliveries(limit: 10) }
            #expect(try await bench.wallet.dueDeliveries(limit: 10).count == 1)

            try await bench.dispatcher().sendDue()
            #expect(bench.receiver.messages.isEmpty)
            try await bench.advance(61)
            try await bench.dispatcher().sendDue()
            #expect(bench.receiver.messages.count == 1)
            #expect(try await bench.deliveries() == ["delivered 1"])
        }
    }

    @Test(.database) func `a shutdown during a delivery does not count as a failure of the endpoint`() async throws {
        try await EventBench.run { bench in
            try await bench.give([1])
            bench.receiver.answer(.hang(.seconds(30)))
            try await Self.shutDown(bench, bench.dispatcher(grace: .milliseconds(200)))

            #expect(try await bench.deliveries().first?.hasPrefix("pending 0 ") == true)
        }
    }

    @Test(.database) func `a delivery that succeeds during a shutdown is recorded, and no other begins`() async throws {
        try await EventBench.run { bench in
            try await bench.give([1, 2])
            bench.receiver.answer(.held)
            try await Self.shutDown(bench, bench.dispatcher(timeout: .seconds(50), grace: .seconds(60)))

            let deliveries = try await bench.deliveries()
            #expect(deliveries.first == "delivered 1")
            #expect(deliveries.dropFirst().allSatisfy { $0.hasPrefix("pending 0 ") }, "\(deliveries)")
            #expect(bench.receiver.messages.count == 1)
        }
    }

    /// Shuts the dispatcher down as soon as the endpoint has received a first event, and then releases the response.
    private static func shutDown(_ bench: EventBench, _ dispatcher: EventDispatcher) async throws {
        let sending = Task { try await bench.send(dispatcher, until: 1) }
        defer { sending.cancel() }
        try await eventually("the endpoint receives an event", within: .seconds(600)) {
            !bench.receiver.messages.isEmpty
        }
        sending.cancel()
        bench.receiver.release()
        _ = await sending.result
    }
}
