import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of the operators' lists over HTTP.
@Suite(.database) struct OperatorListRouteTests {
    private static func path(_ list: OperatorList, of id: String = "", _ query: String) -> String {
        "/operator/\(list.route.replacing("{id}", with: id))\(query)"
    }

    private static func get(_ server: ServerHarness, _ path: String) async throws -> Answer {
        try await server.send(.get, path, token: ServerHarness.operatorToken())
    }

    private static func rows(_ name: String, _ answer: Answer) throws -> [[String: Any]] {
        try #require(try answer.json[name] as? [[String: Any]], "\(answer.text)")
    }

    @Test func `every list is returned as JSON and as CSV`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let session = ServerHarness.someClass()
            try #require(try await server.makeClass(session, startingIn: 48).status == 200)
            try await server.give(50, to: user)
            try #require(try await server.book(session, as: user).status == 201)
            for list in OperatorList.all {
                let query = "?limit=3&user_id=\(user)&class_id=\(session)&series_id=none"
                let owner = list.owner == .user ? user : session
                let answer = try await Self.get(server, Self.path(list, of: owner, query))
                #expect(answer.status == 200, "\(list.name): \(answer.text)")
                for row in try Self.rows(list.name, answer) {
                    #expect(Set(row.keys) == Set(list.columns.map(\.name)))
                }
                let csv = try await Self.get(server, Self.path(list, of: owner, query + "&format=csv"))
                #expect(csv.headers[.contentType]?.hasPrefix("text/csv") == true)
                #expect(csv.text.hasPrefix(list.columns.map(\.name).joined(separator: ",") + "\r\n"), "\(list.name)")
            }
            let lots = try Self.rows("lots", try await Self.get(server, "/operator/users/\(user)/lots"))
            #expect(lots.map { $0["remaining"] as? Int } == [30])
            let roster = try Self.rows("roster", try await Self.get(server, "/operator/classes/\(session)/roster"))
            #expect(roster.map { $0["user_id"] as? String } == [user])
            let audit = try Self.rows(
                "audit",
                try await Self.get(server, "/operator/audit?user_id=\(user)&action=adjust")
            )
            #expect(audit.map { $0["action"] as? String } == ["adjust"])
            #expect(audit.map { $0["actor"] as? String } == ["mia"])
        }
    }

    @Test func `pages have no gaps or repetitions`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            for amount in 1...5 { try await server.give(amount, to: user) }
            for list in [OperatorList.lots, .audit] {
                var amounts: [[String: Any]] = []
                var cursor: String?
                repeat {
                    let next = cursor.map { "&cursor=\($0)" } ?? ""
                    let page = try await Self.get(
                        server,
                        Self.path(list, of: user, "?user_id=\(user)&action=adjust&limit=2\(next)")
                    )
                    amounts += try Self.rows(list.name, page)
                    cursor = try page.json["next_cursor"] as? String
                } while cursor != nil
                #expect(amounts.count == 5)
                #expect(Set(amounts.map { "\($0["lot_id"] ?? $0["audit_id"] ?? "")" }).count == 5)
            }
        }
    }

    @Test func `a CSV file has all rows of the filters and no other rows`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, other) = (ServerHarness.someone(), ServerHarness.someone())
            for amount in 1...5 { try await server.give(amount, to: user) }
            for amount in 1...3 { try await server.give(amount, to: other) }
            for path in ["users/\(user)/lots?", "audit?user_id=\(user)&action=adjust&"] {
                let whole = try await Self.get(server, "/operator/\(path)limit=2&format=csv")
                #expect(whole.text.split(separator: "\r\n").count == 6, "\(whole.text)")
                #expect(!whole.text.contains(other))
                #expect(whole.headers[HTTPField.Name("Link")!] == nil)
            }
            // Each column name occurs once, at the beginning.
            let refused = try await Self.get(server, "/operator/audit?format=csv&limit=false")
            #expect(refused.status == 400, "a file has no pages, but a limit that is none is a mistake")
            let audit = try await Self.get(server, "/operator/audit?format=csv")
            #expect(audit.text.components(separatedBy: "audit_id,").count == 2)
        }
    }

    @Test func `a CSV file of many parts is complete, and one part at a time is in memory`() async throws {
        try await ServerHarness.withDatabase { server in
            let count = 100_000
            try await ServerHarness.sql(
                """
                INSERT INTO wallet.holidays (on_date, name)
                SELECT DATE '2030-01-01' + n, 'day ' || n FROM generate_series(1, \(count)) AS n
                """
            )
            var (lines, longest) = (0, 0)
            try await server.wallet.export(.holidays, where: [:]).write { part in
                lines += part.utf8.count { $0 == UInt8(ascii: "\n") }
                longest = max(longest, part.utf8.count)
            }
            let whole = try await Self.get(server, "/operator/holidays?format=csv")
            try await ServerHarness.sql("DELETE FROM wallet.holidays WHERE on_date > DATE '2030-01-01'")
            #expect(lines == count + 1)
            #expect(longest < 100_000)
            let days = Set(whole.text.split(separator: "\r\n").dropFirst())
            #expect(days.count == count)
            #expect(days.contains("2030-01-02,day 1"))
            #expect(whole.headers[.contentLength] == nil)
        }
    }

    @Test func `an invalid parameter is refused by its name`() async throws {
        try await ServerHarness.withDatabase { server in
            for path in [
                "series-bookings", "messages?inbox_id=x", "flags?open=maybe", "classes?from=soon", "audit?cursor=x",
                "audit?format=xml", "events?from=2026-13-41", "bookings?user_id=", "audit?limit=0",
            ] {
                let answer = try await Self.get(server, "/operator/\(path)")
                #expect(answer.problem == "malformed-request", "\(path): \(answer.text)")
            }
            let unknown = try await Self.get(server, "/operator/users/\(ServerHarness.someone())/lots")
            #expect(unknown.problem == "user-not-found")
            let asUser = try await server.send(.get, "/operator/audit", as: ServerHarness.someone())
            #expect(asUser.status == 401)
        }
    }

    @Test(
        arguments: [
            ("series-bookings", "series_id", "is required", nil),
            ("bookings?user_id=", "user_id", "must be a user's id", "\"\""),
            ("messages?inbox_id=x", "inbox_id", "must be a whole number", "\"x\""),
            ("flags?open=maybe", "open", "must be true or false", "\"maybe\""),
            ("reports/revenue?environment=prod", "environment", "must be production or sandbox", "\"prod\""),
            ("audit?cursor=x", "cursor", "must be the next_cursor", "\"x\""),
            ("messages?cursor=GiR", "cursor", "must be the next_cursor", "\"GiR\""),
            ("classes?from=soon", "from", "must be an RFC 3339 instant such as", "\"soon\""),
            ("classes?from=2027-02-30", "from", "or a day such as", "\"2027-02-30\""),
            ("events?until=2027-02-29T10:00:00Z", "until", "must be an RFC 3339 instant", "\"2027-02-29T10:00:00Z\""),
            ("events?from=2026-11-21T25:00:00Z", "from", "must be an RFC 3339 instant", "25:00"),
        ] as [(String, String, String, String?)]
    )
    func `a refusal has the parameter, the expected form and the received value`(
        path: String,
        parameter: String,
        rule: String,
        received: String?
    ) async throws {
        try await ServerHarness.withDatabase { server in
            let answer = try await Self.get(server, "/operator/\(path)")
            #expect(answer.problem == "malformed-request", "\(answer.text)")
            let detail = try #require(try answer.json["detail"] as? String)
            #expect(detail.hasPrefix("The parameter \"\(parameter)\" "), "\(detail)")
            #expect(detail.contains(rule), "\(detail)")
            if let received {
                #expect(detail.contains("; received "), "\(detail)")
                #expect(detail.contains(received), "\(detail)")
            }
            #expect(try answer.json["parameter"] as? String == parameter)
        }
    }

    @Test func `days and instants are read in every form of RFC 3339`() async throws {
        try await ServerHarness.withDatabase { server in
            let forms = [
                "2026-11-21", "2026-11-21T10:00:00Z", "2026-11-21T10:00:00.25Z", "2024-02-29T10:00:00%2B01:00",
            ]
            for instant in forms {
                let answer = try await Self.get(server, "/operator/classes?from=\(instant)")
                #expect(answer.status == 200, "\(instant): \(answer.text)")
            }
        }
    }

    @Test func `text that looks like a formula is escaped in CSV`() throws {
        for (text, field) in [
            ("=1+1", "'=1+1"), ("+1", "'+1"), ("-x", "'-x"), ("@x", "'@x"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""),
            ("two\nlines", "\"two\nlines\""), ("plain", "plain"), ("=a,b", "\"'=a,b\""),
            // Full-width characters, as typed in Japanese and Chinese.
            ("＝1+1", "'＝1+1"), ("＋1", "'＋1"), ("－1", "'－1"), ("＠x", "'＠x"),
            // Some spreadsheets ignore leading blanks.
            (" =1+1", "' =1+1"), ("\u{A0}\u{3000}=1", "'\u{A0}\u{3000}=1"), ("\u{FEFF}=1", "'\u{FEFF}=1"),
            (" x", " x"), ("", ""), ("  ", "  "),
            // Some spreadsheets separate cells by semicolons or tabs, and then ignore quotes inside a cell.
            ("a;=1+1", "\"a;'=1+1\""), ("a; ＝1;-2", "\"a;' ＝1;'-2\""), ("a\t=1", "\"a\t'=1\""),
            ("a\n=1", "\"a\n'=1\""), ("a\r\n@x", "\"a\r\n'@x\""), ("a;b", "\"a;b\""), ("a=b", "a=b"),
            ("a;'=1", "\"a;'=1\""),
        ] {
            #expect(CSVText.quoted(text) == field)
        }
    }
}
