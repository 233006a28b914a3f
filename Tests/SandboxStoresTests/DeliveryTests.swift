import Foundation
import SandboxStores
import TestSupport
import Testing

@Suite
struct DeliveryTests {
    private func posted(_ stores: Stores) async throws -> [Stores.Answer] {
        try await stores.get("/sandbox/notifications").list("notifications")
    }

    /// Returns the notifications after these numbers of attempts, for which a busy machine needs longer than a control.
    private func posted(_ stores: Stores, attempts: [Int?]) async throws -> [Stores.Answer] {
        var list: [Stores.Answer] = []
        try await eventually("notifications after \(attempts) attempts") {
            list = try await self.posted(stores)
            return list.map { $0.number("attempts") } == attempts
        }
        return list
    }

    @Test
    func `a refused notification is sent again unchanged, before the next one`() async throws {
        try await Receiver.run { stores, receiver async throws in
            receiver.answer([500, 503])
            _ = try await stores.buy()
            _ = try await stores.buy()
            let list = try await self.posted(stores, attempts: [3, 1])
            let bodies = receiver.bodies
            try #require(bodies.count == 4)
            #expect(Set(bodies.prefix(3)).count == 1)
            #expect(bodies[3] != bodies[2])
            #expect(list.map { $0.number("attempts") } == [3, 1])
            #expect(list.map { $0.number("status") } == [200, 200])
            #expect(list.map { $0.text("source") } == ["app_store", "app_store"])
        }
    }

    @Test
    func `a notification that is never accepted is given up, and its control returns`() async throws {
        try await Receiver.run { stores, receiver async throws in
            receiver.answer(Array(repeating: 500, count: 100))
            #expect(try await stores.buy().status == 200)
            let list = try await self.posted(stores, attempts: [5])
            #expect(receiver.bodies.count == 5)
            #expect(list.map { $0.number("status") } == [500])
        }
    }

    @Test
    func `an unreachable receiver does not block a control`() async throws {
        var configuration = Stores.configuration()
        configuration.notifications.appStoreURL = "http://127.0.0.1:1/"
        try await Stores.run(configuration) { stores async throws in
            #expect(try await stores.buy().status == 200)
            let list = try await self.posted(stores, attempts: [5])
            #expect(list.map { $0.number("attempts") } == [5])
            #expect(list.map { $0.number("status") } == [nil])
        }
    }

    @Test
    func `a control without waiting returns before the delivery`() async throws {
        var configuration = Stores.configuration()
        configuration.notifications.wait = false
        try await Receiver.run(configuration) { stores, receiver async throws in
            _ = try await stores.post("/sandbox/faults", ["target": "notifications", "delay_ms": 6_000])
            _ = try await stores.buy()
            #expect(receiver.bodies.isEmpty)
            try await eventually("the notification arrives") { !receiver.bodies.isEmpty }
            #expect(receiver.bodies.count == 1)
        }
    }

    @Test
    func `with notifications off, messages are recorded and can be delivered later`() async throws {
        try await Receiver.run { stores, receiver async throws in
            #expect(try await stores.post("/sandbox/notifications", ["enabled": false]).status == 200)
            _ = try await stores.buy()
            #expect(receiver.bodies.isEmpty)
            let missed = try #require(try await self.posted(stores).first)
            #expect(missed.number("attempts") == 0)
            let id = try #require(missed.text("id"))
            let told = try await stores.post("/sandbox/notifications/\(id)/redeliver")
            #expect(told.number("status") == 200)
            _ = try await stores.post("/sandbox/notifications/\(id)/redeliver")
            #expect(receiver.bodies.count == 2)
            #expect(Set(receiver.bodies).count == 1)
            #expect(try receiver.notifications(root: stores.root).first?.payload.text("notificationUUID") == id)
            #expect(try await stores.post("/sandbox/notifications/none/redeliver").status == 404)
            _ = try await stores.post("/sandbox/notifications", ["enabled": true])
            _ = try await stores.buy()
            #expect(receiver.bodies.count == 3)
        }
    }

    @Test
    func `a delivery fault loses or truncates a notification, which is then sent again`() async throws {
        try await Receiver.run { stores, receiver async throws in
            _ = try await stores.post("/sandbox/faults", ["target": "notifications", "kind": "reset"])
            _ = try await stores.buy()
            #expect(receiver.bodies.count == 1)
            receiver.answer([400])
            _ = try await stores.post("/sandbox/faults", ["target": "notifications", "kind": "truncated"])
            _ = try await stores.buy()
            let bodies = receiver.bodies
            #expect(bodies.count == 3)
            #expect(bodies[1].count == bodies[2].count / 2)
            #expect(try await self.posted(stores).map { $0.number("attempts") } == [2, 2])
        }
    }

    @Test
    func `stores without receivers record no notifications`() async throws {
        try await Stores.run { stores async throws in
            _ = try await stores.buy()
            #expect(try await self.posted(stores).isEmpty)
        }
    }
}
