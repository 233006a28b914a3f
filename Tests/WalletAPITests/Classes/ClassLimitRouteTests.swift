import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite(.database) struct ClassLimitRouteTests {
    private func put(
        _ server: ServerHarness,
        startingIn hours: Double = 72,
        _ more: [String: any Sendable]
    ) async throws -> String {
        let id = ServerHarness.someClass()
        let definition = try await server.definition(startingIn: hours, more)
        let answer = try await server.operate(.put, "/operator/classes/\(id)", json: definition)
        try #require(answer.status == 200, "\(answer.text)")
        return id
    }

    private func refusal(_ server: ServerHarness, _ id: String, seats: Int = 1) async throws -> Answer {
        let user = ServerHarness.someone()
        try await server.give(200, to: user)
        return try await server.send(
            .post,
            "/bookings",
            as: user,
            headers: ["Idempotency-Key": "k"],
            json: ["class_id": id, "seats": seats]
        )
    }

    @Test func `limits are returned as set, and removed when a later PUT omits them`() async throws {
        try await ServerHarness.withDatabase { server in
            let limits: [String: any Sendable] = [
                "max_seats": 2, "days_ahead": 30, "opens_minutes_before": 20_160, "closes_minutes_before": 10,
                "max_overlaps": 0,
            ]
            let id = try await self.put(server, ["limits": limits, "waitlist": ["cutoff_minutes": 0]])
            let shown = try await server.send(.get, "/classes/\(id)").json
            let expected = [
                "max_seats": 2, "days_ahead": 30, "opens_minutes_before": 20_160, "closes_minutes_before": 10,
                "max_overlaps": 0,
            ]
            #expect(shown["limits"] as? [String: Int] == expected)
            #expect(shown["waitlist"] as? [String: Int] == ["cutoff_minutes": 0, "length": 0])

            let definition = try await server.definition()
            let changed = try await server.operate(.put, "/operator/classes/\(id)", json: definition)
            let none = try #require(try changed.json["limits"] as? [String: Any])
            #expect(Set(none.keys) == Set(expected.keys))
            #expect(none.values.allSatisfy { $0 is NSNull })
            #expect((try changed.json["waitlist"] as? [String: Int])?["cutoff_minutes"] == 60)
        }
    }

    @Test func `each limit has its own problem`() async throws {
        try await ServerHarness.withDatabase { server in
            let small = try await self.put(server, ["limits": ["max_seats": 2]])
            let many = try await self.refusal(server, small, seats: 3)
            #expect(many.status == 409)
            #expect(many.problem == "too-many-seats")
            #expect(try many.json["max_seats"] as? Int == 2)

            let unopened = try await self.put(server, ["limits": ["opens_minutes_before": 60]])
            let early = try await self.refusal(server, unopened)
            #expect(early.problem == "booking-not-open")
            #expect(try early.json["opens_at"] is String)

            let shut = try await self.put(server, ["limits": ["closes_minutes_before": 4_400]])
            let late = try await self.refusal(server, shut)
            #expect(late.problem == "booking-closed")
            #expect(try late.json["closed_at"] is String)

            let far = try await self.put(server, ["limits": ["days_ahead": 1]])
            let ahead = try await self.refusal(server, far)
            #expect(ahead.problem == "too-far-ahead")
            #expect(try ahead.json["days_ahead"] as? Int == 1)
            #expect(try ahead.json["opens_at"] is String)
        }
    }

    @Test func `a class without overlaps refuses a second booking at the same time`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            try await server.give(60, to: user)
            let first = try await self.put(server, startingIn: 72, [:])
            let second = try await self.put(server, startingIn: 73, ["limits": ["max_overlaps": 0]])
            let later = try await self.put(server, startingIn: 75, ["limits": ["max_overlaps": 0]])
            let booked = try await server.book(first, as: user)
            let id = try (booked.json["booking"] as? [String: Any])?["booking_id"] as? String

            let overlapping = try await server.book(second, as: user)
            #expect(overlapping.problem == "overlapping-booking")
            #expect(try overlapping.json["booking_id"] as? String == id)
            #expect(try overlapping.json["max_overlaps"] as? Int == 0)
            #expect(try await server.book(later, as: user).status == 201)
        }
    }

    @Test(arguments: [
        #""limits":{"max_seats":0}"#, #""limits":{"max_seats":101}"#, #""limits":{"days_ahead":-1}"#,
        #""limits":{"days_ahead":3661}"#, #""limits":{"opens_minutes_before":5270401}"#,
        #""limits":{"closes_minutes_before":-1}"#, #""limits":{"max_overlaps":101}"#,
        #""limits":{"opens_minutes_before":60,"closes_minutes_before":60}"#, #""limits":[]"#,
        #""waitlist":{"cutoff_minutes":525601}"#, #""waitlist":{}"#,
    ])
    func `invalid limits are malformed`(_ members: String) async throws {
        try await ServerHarness.withoutDatabase { server in
            let answer = try await server.send(
                .put,
                "/operator/classes/a",
                token: ServerHarness.operatorToken(),
                headers: ["Idempotency-Key": "k"],
                body: """
                    {"title":"Yoga","starts_at":"2026-12-01T09:00:00Z","ends_at":"2026-12-01T10:00:00Z","capacity":5,
                    "price":{"credits":1},\(members)}
                    """
            )
            #expect(answer.problem == "malformed-request")
            #expect(try (answer.json["detail"] as? String)?.contains("\"") == true)
        }
    }
}
