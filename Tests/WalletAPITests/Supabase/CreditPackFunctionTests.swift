import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import WalletAPI

@Suite(.database) struct CreditPackFunctionTests {
    @Test func `packs are public and returned under every name that apps read`() async throws {
        try await ServerHarness.withDatabase { server in
            let answer = try await server.call(.get, "credit-packs/available")
            #expect(answer.status == 200)
            let packs = try #require(answer.rows)
            #expect(packs.count == 4)
            let starter = try #require(packs.first)
            #expect(starter["apple_product_id"] as? String == "com.hobbyist.bookingapp.credits.starter")
            #expect(starter["credits"] as? Int == 25)
            #expect(starter["credit_amount"] as? Int == 25)
            #expect(starter["bonus_credits"] as? Int == 0)
            #expect(starter["total_credits"] as? Int == 25)
            #expect(starter["price"] as? Double == 49)
            #expect(starter["price_cents"] as? Int == 4_900)
            #expect(starter["price_formatted"] as? String == "49.00")
            #expect(starter["value_per_credit"] as? String == "1.96")
            #expect(starter["is_active"] as? Bool == true)
            #expect((starter["id"] as? String).flatMap(UUID.init) != nil)
            #expect((starter["created_at"] as? String)?.hasSuffix("Z") == true)
            #expect(Set(packs.compactMap { $0["id"] as? String }).count == 4)
            // An app without a session may send the project's publishable key, which is accepted.
            let keyed = try await server.send(.get, "/functions/v1/credit-packs/available", token: "sb_publishable_x")
            #expect(keyed.status == 200)
        }
    }

    @Test func `the balance's parts sum up as apps calculate them`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, id) = (ServerHarness.someone(), "face-\(ServerHarness.someone())")
            let empty = try #require(try await server.call(.get, "credit-packs/balance", as: user).data)
            #expect(empty["user_id"] as? String == user)
            for name in ["credit_balance", "total_earned", "total_spent", "total_credits", "used_credits"] {
                #expect(empty[name] as? Int == 0, "\(name)")
            }
            #expect(empty["last_activity_at"] == nil)

            #expect(try await server.makeClass(id).status == 200)
            try await server.stock(user)
            #expect(try await server.bookWithCredits(id, as: user).status == 201)
            let balance = try #require(try await server.call(.get, "credit-packs/balance", as: user).data)
            let number = { (name: String) in try #require(balance[name] as? Int, "\(name)") }
            #expect(try number("credit_balance") == 80)
            #expect(try number("total_earned") == 100)
            #expect(try number("total_spent") == 20)
            #expect(
                try number("total_credits") - number("used_credits") + number("rollover_credits")
                    == number("credit_balance")
            )
            #expect(balance["upcoming_expirations"] is [Any])
            #expect((balance["last_activity_at"] as? String)?.wholeMatch(of: /.*\d\d:\d\d:\d\dZ/) != nil)
        }
    }

    @Test func `movements and purchases are paged`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, id) = (ServerHarness.someone(), "face-\(ServerHarness.someone())")
            #expect(try await server.makeClass(id).status == 200)
            try await server.stock(user)
            let bookingID = try #require(
                try await server.bookWithCredits(id, as: user).data?["booking_id"] as? String
            )
            _ = try await server.call(.post, "bookings/cancel", as: user, json: ["booking_id": bookingID])

            let all = try await server.call(.get, "credit-packs/transactions", as: user)
            let rows = try #require(all.rows)
            #expect(rows.map { $0["transaction_type"] as? String } == ["refund", "spend", "purchase"])
            #expect(rows.map { $0["display_type"] as? String } == ["refund", "usage", "purchase"])
            #expect(rows.map { $0["credit_amount"] as? Int } == [20, -20, 100])
            #expect(rows.map { $0["balance_after"] as? Int } == [100, 80, 100])
            #expect(rows.map { $0["is_positive"] as? Bool } == [true, false, true])
            #expect(rows.map { $0["amount_formatted"] as? String } == ["+20 credits", "-20 credits", "+100 credits"])
            #expect(rows.map { $0["reference_id"] as? String }.prefix(2) == [bookingID, bookingID])
            #expect(rows.map { $0["description"] as? String } == ["Pottery", "Pottery", "Enthusiast"])
            #expect(all.meta?["total"] as? Int == 3)
            #expect(all.meta?["has_more"] as? Bool == false)
            let part = try await server.call(.get, "credit-packs/transactions?limit=1&offset=1", as: user)
            #expect(part.rows?.map { $0["id"] as? String } == [rows[1]["id"] as? String])
            #expect(part.meta?["has_more"] as? Bool == true)
            let beyond = try await server.call(.get, "credit-packs/transactions?offset=10000", as: user)
            #expect(beyond.rows?.isEmpty == true)
            #expect(beyond.meta?["total"] as? Int == 3)
            #expect(
                try await server.call(.get, "credit-packs/transactions?offset=10001", as: user).code
                    == "VALIDATION_ERROR"
            )

            let purchases = try #require(try await server.call(.get, "credit-packs/purchases", as: user).rows)
            let purchase = try #require(purchases.first)
            #expect(purchases.count == 1)
            #expect(purchase["status"] as? String == "completed")
            #expect(purchase["total_credits_received"] as? Int == 100)
            #expect((purchase["credit_pack"] as? [String: Any])?["name"] as? String == "Enthusiast")
            let packs = try #require(try await server.call(.get, "credit-packs/available").rows)
            #expect(packs.contains { $0["id"] as? String == purchase["credit_pack_id"] as? String })
            let others = try await server.call(.get, "credit-packs/purchases", as: ServerHarness.someone())
            #expect(others.rows?.isEmpty == true)
        }
    }

    @Test func `testers use the sandbox, others production, and a named environment applies to both`() async throws {
        try await ServerHarness.withDatabase { server in
            let (tester, other) = (ServerHarness.someone(), ServerHarness.someone())
            let connection = try await TestDatabase.current.connect()
            defer { connection.close() }
            _ = try await connection.query("INSERT INTO admin.testers (user_id) VALUES (\(tester))")
            for user in [tester, other] { try await server.stock(user, environment: "sandbox") }
            let sandboxed = try await server.call(.get, "credit-packs/balance", as: tester)
            #expect(sandboxed.data?["credit_balance"] as? Int == 100)
            #expect(sandboxed.data?["environment"] as? String == "sandbox")
            #expect(try await server.call(.get, "credit-packs/balance", as: other).data?["credit_balance"] as? Int == 0)
            let named = ["Wallet-Environment": "sandbox"]
            let asked = try await server.call(.get, "credit-packs/balance", as: other, headers: named)
            #expect(asked.data?["credit_balance"] as? Int == 100)
            let id = "face-\(ServerHarness.someone())"
            #expect(try await server.makeClass(id, capacity: 1).status == 200)
            #expect(try await server.bookWithCredits(id, as: tester).status == 201)
            #expect(try await server.send(.get, "/classes/\(id)").json["seats_left"] as? Int == 1)
        }
    }
}
