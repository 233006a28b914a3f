import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of the operators' lists over HTTP.
@Suite(.database) struct OperatorListRouteTests {
    private static func path(_ list: OperatorList, _ query: String) -> String { "/operator/\(list.route)\(query)" }

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
                let answer = try await Self.get(server, Self.path(list, query))
                #expect(answer.status == 200, "\(list.name): \(answer.text)")
                for row in try Self.rows(list.name, answer) {
                    #expect(Set(row.keys) == Set(list.columns.map(\.name)))
                }
                let csv = try await Self.get(server, Self.path(list, query + "&format=csv"))
                #expect(csv.headers[.contentType]?.hasPrefix("text/csv") == true)
                #expect(csv.text.hasPrefix(list.columns.map(\.name).joined(separator: ",") + "\r\n"), "\(list.name)")
            }
            let lots = try Self.rows("lots", try await Self.get(server, "/operator/lots?user_id=\(user)"))
            #expect(lots.map { $0["remaining"] as? Int } == [30])
            let roster = try Self.rows("roster", try await Self.get(server, "/operator/roster?class_id=\(session)"))
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
                        Self.path(list, "?user_id=\(user)&action=adjust&limit=2\(next)")
                    )
                    amounts += try Self.rows(list.name, page)
                    cursor = try page.json["next_cursor"] as? String
                } while cursor != nil
                #expect(amounts.count == 5)
                #expect(Set(amounts.map { "\($0["lot_id"] ?? $0["audit_id"] ?? "")" }).count == 5)
            }
            let first = try await Self.get(server, "/operator/lots?user_id=\(user)&limit=2&format=csv")
            #expect(first.text.split(separator: "\r\n").count == 3)
            #expect(first.headers[HTTPField.Name("Link")!]?.hasSuffix("rel=\"next\"") == true)
            // The next page keeps the filters and the limit until the end.
            let other = ServerHarness.someone()
            for amount in 1...3 { try await server.give(amount, to: other) }
            var query = "?action=adjust&user_id=\(user)&format=csv&limit=2"
            var counts: [Int] = []
            while true {
                let page = try await Self.get(server, "/operator/audit\(query)")
                let lines = page.text.split(separator: "\r\n").dropFirst()
                counts.append(lines.count)
                #expect(lines.allSatisfy { $0.contains(user) }, "\(page.text)")
                guard let link = page.headers[HTTPField.Name("Link")!] else { break }
                query = String(link.dropFirst().prefix { $0 != ">" })
            }
            #expect(counts == [2, 2, 1])
        }
    }

    @Test func `an invalid parameter is refused by its name`() async throws {
        try await ServerHarness.withDatabase { server in
            for path in [
                "lots", "roster", "messages?inbox_id=x", "flags?open=maybe", "classes?from=soon", "audit?cursor=x",
                "audit?format=xml", "events?from=2026-13-41", "lots?user_id=", "audit?limit=0",
            ] {
                let answer = try await Self.get(server, "/operator/\(path)")
                #expect(answer.problem == "malformed-request", "\(path): \(answer.text)")
            }
            let unknown = try await Self.get(server, "/operator/lots?user_id=\(ServerHarness.someone())")
            #expect(unknown.problem == "user-not-found")
            let asUser = try await server.send(.get, "/operator/audit", as: ServerHarness.someone())
            #expect(asUser.status == 401)
        }
    }

    @Test(
        arguments: [
            ("roster", "class_id", "is required", nil), ("lots?user_id=", "user_id", "must be a user's id", "\"\""),
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
