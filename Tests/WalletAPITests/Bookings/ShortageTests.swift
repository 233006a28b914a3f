import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of 402 responses and the packs that they offer.
@Suite(.database) struct ShortageTests {
    @Test func `a shortage is described with the cheapest packs that cover it`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            _ = try await server.makeClass("short-1")
            try await server.give(user, 5)
            for answer in [
                try await server.book("short-1", as: user),
                try await server.send(.post, "/bookings?dry_run=true", as: user, body: #"{"class_id":"short-1"}"#),
            ] {
                #expect(answer.status == 402)
                #expect(answer.problem == "insufficient-credits")
                let json = try answer.json
                #expect(json["detail"] as? String == "You need 15 more credits.")
                #expect(json["credits_needed"] as? Int == 15)
                #expect(try DocumentSchema().faults(of: json, by: "InsufficientCredits").isEmpty)
                let shortages = try #require(json["shortages"] as? [[String: Any]])
                #expect(
                    shortages as NSArray == [["unit": "credit", "required": 20, "available": 5, "needed": 15]]
                )
                let offers = try #require(json["offers"] as? [String: Any])
                let packs = try #require(offers["packs"] as? [[String: Any]])
                #expect(packs.first?["product_id"] as? String == "com.hobbyist.bookingapp.credits.starter")
                #expect(packs.allSatisfy { $0["quantity"] as? Int == 1 })
                let prices = packs.compactMap { ($0["total_price"] as? [String: Any])?["amount"] as? Double }
                #expect(prices.count == packs.count && prices == prices.sorted())
                #expect((offers["plans"] as? [Any])?.isEmpty == false)
            }
        }
    }

    @Test func `one visit is described in the singular`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            _ = try await server.makeVisit("short-2")
            let answer = try await server.book("short-2", as: user)
            #expect(answer.status == 402)
            #expect(try answer.json["detail"] as? String == "You need 1 more visit.")
            #expect(try DocumentSchema().faults(of: answer.json, by: "InsufficientCredits").isEmpty)
        }
    }

    @Test func `incomplete members give no description`() {
        #expect(WalletError.shortage(["credits_needed": 15]) == nil)
        #expect(WalletError.shortage(["unit": "credit", "credits_needed": "15"]) == nil)
        #expect(WalletError.shortage(["unit": "credit", "credits_needed": 15]) == "You need 15 more credits.")
    }
}
