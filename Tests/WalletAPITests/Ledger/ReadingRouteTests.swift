import Foundation
import HTTPTypes
import JOSE
import TestSupport
import Testing

@Suite(.database) struct ReadingRouteTests {
    @Test func `an unknown user has an empty balance`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let answer = try await server.send(.get, "/balance", as: user)
            #expect(answer.status == 200)
            let json = try answer.json
            #expect(json["credits"] as? Int == 0)
            #expect(json["version"] as? Int == 0)
            #expect(json["next_rollover_at"] is NSNull)
            #expect((json["lots"] as? [Any])?.isEmpty == true)
            for (uri, name) in [
                ("/transactions", "entries"), ("/bookings", "bookings"), ("/purchases", "purchases"),
                ("/subscriptions", "subscriptions"),
            ] {
                let list = try await server.send(.get, uri, as: user)
                #expect(list.status == 200)
                #expect(try (list.json[name] as? [Any])?.isEmpty == true, "\(uri)")
            }
        }
    }

    @Test func `an entity tag identifies a state`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let first = try await server.send(.get, "/balance", as: user)
            let tag = try #require(first.headers[.eTag])
            for value in [tag, String(tag.trimmingPrefix("W/")), "\"other\", \(tag)", "*"] {
                let same = try await server.send(.get, "/balance", as: user, headers: ["If-None-Match": value])
                #expect(same.status == 304, "\(value)")
                #expect(same.text.isEmpty)
                #expect(same.headers[.eTag] == tag)
            }
            let sandbox = ["If-None-Match": tag, "Wallet-Environment": "sandbox"]
            #expect(try await server.send(.get, "/balance", as: user, headers: sandbox).status == 200)
            _ = try await server.submit(try await server.buy(user).receipt, as: user)
            let changed = try await server.send(.get, "/balance", as: user, headers: ["If-None-Match": tag])
            #expect(changed.status == 200)
            #expect(changed.headers[.eTag] != tag)
        }
    }

    @Test func `an entity tag is unique to user and wallet and reveals nothing`() async throws {
        try await ServerHarness.withDatabase { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            let tag = try #require(try await server.send(.get, "/balance", as: anna).headers[.eTag])
            let others = try await server.send(.get, "/balance", as: ben, headers: ["If-None-Match": tag])
            #expect(others.status == 200)
            #expect(others.headers[.eTag] != tag)
            let sandbox = try await server.send(.get, "/balance", as: anna, headers: ["Wallet-Environment": "sandbox"])
            #expect(sandbox.headers[.eTag] != tag)
            #expect(tag.wholeMatch(of: /W\/"[A-Za-z0-9_-]{22}"/) != nil, "\(tag)")
            #expect(try await server.send(.get, "/balance", as: anna).headers[.eTag] == tag)
        }
    }

    @Test func `an entity tag is invalid after its account is deleted`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            try await server.give(5, to: user)
            let tag = try #require(try await server.send(.get, "/balance", as: user).headers[.eTag])
            #expect(try await server.send(.delete, "/account", as: user).status == 204)
            let token = try AccountRouteTests.token(user, issued: 5)
            #expect(try await server.send(.get, "/balance", token: token).status == 200)
            try await server.give(5, to: user)
            let again = try await server.send(.get, "/balance", token: token, headers: ["If-None-Match": tag])
            #expect(again.status != 304)
        }
    }

    @Test func `equal tags mean equal balances, and different balances have different tags`() async throws {
        try await ServerHarness.withDatabase { server in
            let (anna, ben) = (ServerHarness.someone(), ServerHarness.someone())
            var bodies: [String: String] = [:]
            func note(_ user: String, _ environment: String = "production") async throws {
                let headers = ["Wallet-Environment": environment]
                let answer = try await server.send(.get, "/balance", as: user, headers: headers)
                var json = try answer.json
                // The time of the response is the only member that may differ under one tag.
                #expect(json.removeValue(forKey: "as_of") is String)
                let data = try JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
                let (tag, body) = (try #require(answer.headers[.eTag]), String(decoding: data, as: UTF8.self))
                #expect(bodies[tag] == nil || bodies[tag] == body)
                #expect(bodies.allSatisfy { $0.key == tag || $0.value != body })
                bodies[tag] = body
            }
            func noteAll() async throws {
                for user in [anna, ben] {
                    for environment in ["production", "production", "sandbox"] { try await note(user, environment) }
                }
            }
            try await noteAll()
            let id = ServerHarness.someClass()
            #expect(try await server.makeClass(id, credits: 5).status == 200)
            for user in [anna, ben] {
                for _ in 0..<2 {
                    try await server.give(5, to: user)
                    try await noteAll()
                }
                let booked = try await server.book(id, as: user)
                #expect(booked.status == 201)
                try await noteAll()
                let booking = try #require(try booked.json["booking"] as? [String: Any])
                let path = "/bookings/\(try #require(booking["booking_id"] as? String))/cancel"
                #expect(try await server.send(.post, path, as: user).status == 200)
                try await noteAll()
                _ = try await server.submit(try await server.buy(user).receipt, as: user)
                try await noteAll()
            }
            #expect(bodies.count == 14)
        }
    }

    @Test func `a deleted user's malformed request is refused with 401`() async throws {
        try await ServerHarness.withDatabase { server in
            let (living, deleted) = (ServerHarness.someone(), ServerHarness.someone())
            let sandbox = ["Wallet-Environment": "nowhere"]
            let requests: [(uri: String, headers: [String: String])] = [
                ("/balance", sandbox), ("/bookings", sandbox), ("/transactions", sandbox), ("/passes", sandbox),
                ("/subscriptions", sandbox), ("/purchases", sandbox), ("/bookings?status=none", [:]),
                ("/bookings?limit=0", [:]), ("/bookings?cursor=nonsense", [:]), ("/transactions?limit=0", [:]),
                ("/transactions?cursor=nonsense", [:]), ("/passes?limit=0", [:]), ("/passes?cursor=nonsense", [:]),
                ("/purchases?limit=0", [:]), ("/balance/forecast", [:]), ("/balance/forecast?at=never", [:]),
            ]
            for user in [living, deleted] { try await server.give(5, to: user) }
            // The service remembers the account with the token before the account is deleted.
            #expect(try await server.send(.get, "/balance", as: deleted).status == 200)
            #expect(try await server.send(.delete, "/account", as: deleted).status == 204)
            for request in requests {
                let refused = try await server.send(.get, request.uri, as: living, headers: request.headers)
                #expect(refused.status == 400, "\(request.uri)")
                let gone = try await server.send(.get, request.uri, as: deleted, headers: request.headers)
                #expect(gone.status == 401, "\(request.uri)")
                #expect(gone.problem == "unauthenticated")
            }
        }
    }

    @Test func `the catalogue is public and exact`() async throws {
        try await ServerHarness.withDatabase { server in
            let packs = try await server.send(.get, "/packs")
            #expect(packs.status == 200)
            let list = try #require(try packs.json["packs"] as? [[String: Any]])
            let starter = try #require(
                list.first { $0["product_id"] as? String == "com.hobbyist.bookingapp.credits.starter" }
            )
            #expect(starter["total_credits"] as? Int == 25)
            #expect((starter["price"] as? [String: Any])?["amount"] as? Double == 49)
            let plans = try await server.send(.get, "/plans")
            #expect(try (plans.json["plans"] as? [Any])?.count == 3)
        }
    }

    @Test func `lists are paged by cursor to their end`() async throws {
        try await ServerHarness.withDatabase { server in
            for index in 0..<5 { #expect(try await server.makeClass("page-\(index)").status == 200) }
            var cursor: String?
            var seen: [String] = []
            repeat {
                let query = cursor.map { "&cursor=\($0)" } ?? ""
                let page = try await server.send(.get, "/classes?limit=2\(query)")
                #expect(page.status == 200)
                let classes = try #require(try page.json["classes"] as? [[String: Any]])
                #expect(classes.count <= 2)
                seen += classes.compactMap { $0["class_id"] as? String }
                cursor = try page.json["next_cursor"] as? String
            } while cursor != nil && seen.count < 100
            #expect(seen.filter { $0.hasPrefix("page-") }.sorted() == (0..<5).map { "page-\($0)" })
            #expect(Set(seen).count == seen.count)
            let earliest = Data("-9223372036854775808\nclass".utf8).base64URL
            for uri in [
                "/classes?cursor=nonsense", "/classes?cursor=\(earliest)", "/transactions?cursor=nonsense",
                "/bookings?cursor=AAAA",
            ] {
                let answer = try await server.send(.get, uri, as: "u")
                #expect(answer.problem == "malformed-request", "\(uri)")
                #expect(try (answer.json["detail"] as? String)?.contains("\"cursor\"") == true)
            }
        }
    }

    @Test func `the ledger explains the balance`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            _ = try await server.makeClass("ledger-1")
            _ = try await server.submit(try await server.buy(user).receipt, as: user)
            _ = try await server.book("ledger-1", as: user)
            let entries = try #require(
                try await server.send(.get, "/transactions", as: user).json["entries"] as? [[String: Any]]
            )
            #expect(entries.map { $0["amount"] as? Int } == [-20, 100])
            #expect(entries.map { $0["version"] as? Int } == [2, 1])
        }
    }

    @Test func `an operator's class is validated and its key replays`() async throws {
        try await ServerHarness.withDatabase { server in
            let token = try ServerHarness.operatorToken()
            func put(_ body: String, key: String = UUID().uuidString) async throws -> Answer {
                try await server.send(
                    .put,
                    "/operator/classes/checked-1",
                    token: token,
                    headers: ["Idempotency-Key": key],
                    body: body
                )
            }
            let good = """
                {"title":"T","starts_at":"2030-01-01T10:00:00Z","ends_at":"2030-01-01T12:00:00+01:00","capacity":3,
                "price":{"visits":1}}
                """
            #expect(try await put(good, key: "same").status == 200)
            #expect(try await put(good, key: "same").status == 200)
            #expect(
                try await put(good.replacing("\"T\"", with: "\"U\""), key: "same").problem == "idempotency-key-reused"
            )
            for bad in [
                good.replacing("\"T\"", with: "\"\""), good.replacing("\"T\"", with: "\"a\\nb\""),
                good.replacing("12:00:00+01:00", with: "10:00:00Z"), good.replacing(":3", with: ":-1"),
                good.replacing(":3", with: ":100001"), good.replacing("{\"visits\":1}", with: "{}"),
                good.replacing("\"visits\":1", with: "\"visits\":0"),
                good.replacing("2030-01-01T10", with: "2030-13-01T10"),
                good.replacing("\"2030-01-01T10:00:00Z\"", with: "1893492000"),
                good.replacing("\"capacity\":3,", with: ""),
            ] {
                let answer = try await put(bad)
                #expect(answer.status == 400, "\(bad)")
                #expect(answer.problem == "malformed-request", "\(bad)")
            }
            #expect(try await server.send(.get, "/ready").status == 200)
        }
    }
}
