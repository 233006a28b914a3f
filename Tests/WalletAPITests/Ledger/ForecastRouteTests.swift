import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of `GET /balance/forecast`.
@Suite(.database) struct ForecastRouteTests {
    @Test func `credits are forecast until they expire, and not afterwards`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            _ = try await server.submit(try await server.buy(user).receipt, as: user)
            let pass = try await server.buy(user, separate: true, more: ["product_id": "singleVisit"])
            _ = try await server.submit(pass.receipt, as: user)
            let now = try await server.wallet.now()

            let soon = try await server.forecast(user, at: now + 29 * 86_400)
            #expect(soon.status == 200)
            #expect(try soon.json["visits"] as? Int == 1)
            let late = try await server.forecast(user, at: now + 31 * 86_400)
            #expect(try late.json["visits"] as? Int == 0)
            #expect(try late.json["credits"] as? Int == 100)
            #expect(try late.json["as_of"] as? String == (now + 31 * 86_400).formatted(.iso8601))
            #expect(try late.json["user_id"] as? String == user)
            #expect(try DocumentSchema().faults(of: late.json, by: "Balance").isEmpty)
            #expect(try await server.send(.get, "/balance", as: user).json["visits"] as? Int == 1)
        }
    }

    @Test func `a plan with auto-renewal is forecast as renewed`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let plan = try await server.buy(user, more: ["product_id": ServerHarness.plan])
            _ = try await server.submit(plan.receipt, as: user)
            #expect(try await server.send(.get, "/balance", as: user).json["visits"] as? Int == 4)
            let then = try await server.wallet.now() + 40 * 86_400
            let answer = try await server.forecast(user, at: then)
            #expect(try answer.json["visits"] as? Int == 4)
            let lots = try #require(try answer.json["lots"] as? [[String: Any]])
            let end = try #require(try lots.first?["expires_at"].map { try Date("\($0)", strategy: .iso8601) })
            #expect(end > then)
        }
    }

    @Test func `an unknown user has an empty forecast`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let answer = try await server.forecast(user, at: try await server.wallet.now() + 86_400)
            #expect(answer.status == 200)
            #expect(try answer.json["credits"] as? Int == 0)
            #expect(try answer.json["version"] as? Int == 0)
            #expect(try DocumentSchema().faults(of: answer.json, by: "Balance").isEmpty)
        }
    }

    @Test func `a forecast needs an instant in the next two years`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let now = try await server.wallet.now()
            for instant in [now - 86_400, now + 731 * 86_400] {
                let answer = try await server.forecast(user, at: instant)
                #expect(answer.status == 400)
                #expect(answer.problem == "forecast-out-of-range")
            }
            for query in ["", "?at=", "?at=tomorrow", "?at=2027-01-01", "?at=1&at=2", "?at=2027-13-01T00:00:00Z"] {
                let answer = try await server.send(.get, "/balance/forecast\(query)", as: user)
                #expect(answer.problem == "malformed-request", "\(query)")
            }
            let offset = (now + 86_400).formatted(.iso8601).replacing("Z", with: "%2B00:00")
            #expect(try await server.send(.get, "/balance/forecast?at=\(offset)", as: user).status == 200)
        }
    }
}

extension ServerHarness {
    fileprivate func forecast(_ user: String, at instant: Date) async throws -> Answer {
        try await self.send(.get, "/balance/forecast?at=\(instant.formatted(.iso8601))", as: user)
    }
}
