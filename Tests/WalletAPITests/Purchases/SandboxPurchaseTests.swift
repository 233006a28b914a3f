import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import WalletAPI

/// Tests that testers can use sandbox purchases, and that these pay for nothing in production.
@Suite(.database) struct SandboxPurchaseTests {
    private static let sandbox = ["Wallet-Environment": "sandbox"]

    @Test func `a purchase in the other environment is not found, with a hint where it is`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let sale = try await server.buy(user, environment: "sandbox")
            let submitted = try await server.submit(sale.receipt, as: user)
            #expect(submitted.status == 200)
            #expect(try submitted.json["environment"] as? String == "sandbox")
            #expect(try await server.credits(of: user) == 0)

            let path = "/purchases/\(sale.transactionID)"
            let missed = try await server.send(.get, path, as: user)
            #expect(missed.status == 404)
            #expect(missed.problem == "purchase-not-found")
            #expect(try missed.json["environment"] as? String == "sandbox")
            #expect(
                try missed.json["detail"] as? String
                    == "The purchase is in the sandbox wallet. Send Wallet-Environment: sandbox."
            )
            #expect(try await server.send(.get, path, as: user, headers: Self.sandbox).status == 200)

            let foreign = try await server.send(.get, path, as: ServerHarness.someone())
            #expect(foreign.status == 404)
            #expect(try foreign.json["environment"] == nil)
        }
    }

    @Test func `testers use the sandbox on all user routes, others production`() async throws {
        try await ServerHarness.withDatabase { server in
            let (tester, other) = (ServerHarness.someone(), ServerHarness.someone())
            let connection = try await TestDatabase.current.connect()
            defer { connection.close() }
            _ = try await connection.query("INSERT INTO admin.testers (user_id) VALUES (\(tester))")
            for user in [tester, other] {
                let sale = try await server.buy(user, environment: "sandbox")
                #expect(try await server.submit(sale.receipt, as: user).status == 200)
            }
            let balance = try await server.send(.get, "/balance", as: tester).json
            #expect(balance["credits"] as? Int == 100)
            #expect(balance["environment"] as? String == "sandbox")
            let purchases = try await server.send(.get, "/purchases", as: tester).json["purchases"] as? [Any]
            #expect(purchases?.count == 1)
            let named = try await server.send(
                .get,
                "/balance",
                as: tester,
                headers: ["Wallet-Environment": "production"]
            )
            #expect(try named.json["credits"] as? Int == 0)

            // A sandbox purchase pays for no production seat, neither for a tester nor for another user.
            let id = "seat-\(tester)"
            #expect(try await server.makeClass(id).status == 200)
            #expect(try await server.book(id, as: other).problem == "insufficient-credits")
            #expect(try await server.book(id, as: tester).status == 201)
            let left = try await server.send(.get, "/classes/\(id)").json["seats_left"] as? Int
            #expect(left == 10)
            let bookings = try await server.send(.get, "/bookings", as: tester).json["bookings"] as? [[String: Any]]
            let booked = try #require(bookings?.first?["booking_id"] as? String)
            #expect(try await server.send(.delete, "/bookings/\(booked)", as: tester).status == 200)
            #expect(try await server.credits(of: tester) == 100)
        }
    }

    @Test func `a new tester uses the sandbox within seconds`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let before = try await server.send(.get, "/balance", as: user).json
            #expect(before["environment"] as? String == "production")
            let connection = try await TestDatabase.current.connect()
            defer { connection.close() }
            _ = try await connection.query("INSERT INTO admin.testers (user_id) VALUES (\(user))")
            try await Task.sleep(for: .milliseconds(1_050))
            let after = try await server.send(.get, "/balance", as: user).json
            #expect(after["environment"] as? String == "sandbox")
        }
    }
}
