import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

/// Tests of series, holidays and generated ids over HTTP.
@Suite(.database) struct SeriesRouteTests {
    private static func act(
        _ server: ServerHarness,
        _ action: String,
        _ members: [String: any Sendable],
        key: String = UUID().uuidString,
        dryRun: Bool = false
    ) async throws -> Answer {
        let path = "/operator/actions/\(action)" + (dryRun ? "?dry_run=true" : "")
        return try await server.operate(.post, path, key: key, json: members.merging(["reason": "timetable"]) { $1 })
    }

    private static func definition(
        _ server: ServerHarness,
        _ more: [String: any Sendable] = [:]
    ) async throws -> [String: any Sendable] {
        let first = try await server.wallet.now().addingTimeInterval(2 * 86_400)
        let definition: [String: any Sendable] = [
            "title": "Yoga \(UUID().uuidString.prefix(8))",
            "weekdays": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
            "start_time": "10:00", "minutes": 60, "time_zone": "Europe/Berlin",
            "from_date": first.formatted(.iso8601.year().month().day()), "create_days_ahead": 4, "capacity": 5,
            "price": ["credits": 20],
        ]
        return definition.merging(more) { $1 }
    }

    private static func rows(_ server: ServerHarness, _ list: String, _ query: String) async throws -> [[String: Any]] {
        let answer = try await server.send(.get, "/operator/\(list)?\(query)", token: ServerHarness.operatorToken())
        let name = String(list.split(separator: "/").last ?? "").replacing("-", with: "_")
        return try #require(try answer.json[name] as? [[String: Any]], "\(answer.text)")
    }

    private static func after(_ answer: Answer) throws -> [String: Any] {
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try answer.json["after"] as? [String: Any])
    }

    @Test func `a series creates its classes, and its cancellation returns everything`() async throws {
        try await ServerHarness.withDatabase { server in
            let series = try await Self.definition(server)
            let preview = try Self.after(try await Self.act(server, "put-series", ["series": series], dryRun: true))
            let made = try Self.after(try await Self.act(server, "put-series", ["series": series]))
            #expect(made["created"] as? Int == preview["created"] as? Int)
            let id = try #require(made["series_id"] as? String)
            let classes = try await Self.rows(server, "classes", "series_id=\(id)")
            #expect(classes.count == made["created"] as? Int)
            let session = try #require(classes.first?["class_id"] as? String)
            #expect(session.hasPrefix("\(id)-20"))
            let shown = try await server.send(.get, "/classes/\(session)")
            #expect(try shown.json["series_id"] as? String == id)

            let user = ServerHarness.someone()
            try await server.give(50, to: user)
            #expect(try await server.book(session, as: user).status == 201)
            let bookings = try await Self.rows(server, "series-bookings", "series_id=\(id)")
            #expect(bookings.map { $0["user_id"] as? String } == [user])
            let cancelled = try Self.after(try await Self.act(server, "cancel-series", ["series_id": id]))
            #expect(cancelled["cancelled"] as? Int == classes.count)
            #expect(cancelled["bookings"] as? Int == 1)
            #expect(cancelled["credits"] as? Int == 20)
            while try await server.wallet.settleClasses(limit: 10) > 0 {}
            #expect(try await server.credits(of: user) == 50)
            let roster = try await Self.rows(server, "classes/\(session)/roster", "limit=50")
            #expect(roster.map { $0["user_id"] as? String } == [user])
            #expect(roster.map { $0["returned"] as? Int } == [20])
        }
    }

    @Test func `a new class or series under an existing id is refused`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = ServerHarness.someClass()
            let definition = try await server.definition(startingIn: 72)
            let members: [String: any Sendable] = ["class_id": id, "is_new": true, "class": definition]
            #expect(try await Self.act(server, "put-class", members).status == 200)
            let again = try await Self.act(server, "put-class", members)
            #expect(again.problem == "class-exists")
            #expect(try again.json["class_id"] as? String == id)

            let unnamed = try Self.after(try await Self.act(server, "put-class", ["class": definition]))
            let made = try #require(unnamed["class_id"] as? String)
            #expect(made.hasPrefix("pottery-20"))

            let series = try await Self.definition(server)
            let named: [String: any Sendable] = [
                "series_id": "series-\(UUID().uuidString.prefix(8))", "is_new": true, "series": series,
            ]
            #expect(try await Self.act(server, "put-series", named).status == 200)
            #expect(try await Self.act(server, "put-series", named).problem == "series-exists")
            let none = try await Self.act(server, "cancel-series", ["series_id": "no-such-series"])
            #expect(none.problem == "series-not-found")
        }
    }

    @Test func `a class may have a length instead of an end`() async throws {
        try await ServerHarness.withDatabase { server in
            let id = ServerHarness.someClass()
            var definition = try await server.definition(startingIn: 72, ["minutes": 75])
            definition["ends_at"] = nil
            let made = try await server.operate(.put, "/operator/classes/\(id)", json: definition)
            #expect(made.status == 200, "\(made.text)")
            let rows = try await Self.rows(server, "classes", "class_id=\(id)")
            #expect(rows.map { $0["minutes"] as? Int } == [75])
            definition["minutes"] = 0
            let refused = try await server.operate(.put, "/operator/classes/\(id)", json: definition)
            #expect(try refused.json["detail"] as? String == "The member \"minutes\" must be 1 to 1440; received 0.")
        }
    }

    @Test(
        arguments: [
            ("weekdays", [String](), "must contain one or more of monday"),
            ("weekdays", ["someday"], "must contain one or more of monday"),
            ("start_time", "25:00", "must be a time such as 18:30"), ("minutes", 0, "must be 1 to 1440"),
            ("time_zone", "Europe/Atlantis", "must be UTC or a name such as Europe/Berlin"),
            ("from_date", "2027-02-29", "must be a day such as 2026-11-28"),
            ("create_days_ahead", 367, "must be 1 to 366"),
        ] as [(String, any Sendable, String)]
    )
    func `a refusal of a series has the member and the rule`(
        member: String,
        value: any Sendable,
        rule: String
    ) async throws {
        try await ServerHarness.withDatabase { server in
            let series = try await Self.definition(server, [member: value])
            let answer = try await Self.act(server, "put-series", ["series": series])
            #expect(answer.problem == "malformed-request", "\(answer.text)")
            let detail = try #require(try answer.json["detail"] as? String)
            #expect(detail.contains(member) && detail.contains(rule), "\(detail)")
        }
    }
}
