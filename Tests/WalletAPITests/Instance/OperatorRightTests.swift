import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of each right's operations over HTTP; `operator_rights.sql` tests the database's checks.
@Suite(.database) struct OperatorRightTests {
    /// A request that changes something, with the right that it needs.
    private struct Act: Sendable {
        let needs: OperatorRight
        let method: HTTPRequest.Method
        let path: String
        let body: [String: any Sendable]

        init(
            _ needs: OperatorRight,
            _ path: String,
            _ body: [String: any Sendable] = [:],
            method: HTTPRequest.Method = .post
        ) {
            self.needs = needs
            self.method = method
            self.path = "/operator/\(path)"
            self.body = body
        }
    }

    private static let groups: [OperatorRight: String] = [
        .viewer: "all", .support: "desk", .operator: "managers", .admin: "owners",
    ]

    private static func acts(_ user: String, _ definition: [String: any Sendable]) -> [Act] {
        let booking: [String: any Sendable] = ["user_id": user, "booking_id": UUID().uuidString, "reason": "why"]
        let whole: [String: any Sendable] = booking.merging(["in_full": true] as [String: any Sendable]) { $1 }
        let claim: [String: any Sendable] = ["user_id": user, "claim_id": 1, "reason": "why"]
        return [
            Act(.support, "actions/cancel-booking", booking),
            Act(.operator, "actions/cancel-booking", whole),
            Act(.operator, "actions/waive-cancellation", booking),
            Act(.admin, "actions/release-purchase", claim),
            Act(.admin, "actions/undo-release", claim),
            Act(.operator, "actions/resolve-flag", ["flag_id": 1, "resolution": "blocked", "reason": "why"]),
            Act(.support, "actions/replay-message", ["inbox_id": 1, "reason": "why"]),
            Act(.support, "actions/resend-event", ["event_id": 1, "reason": "why"]),
            Act(.support, "actions/set-tester", ["user_id": user, "tester": true, "reason": "why"]),
            Act(
                .operator,
                "adjustments",
                ["user_id": user, "unit": "credit", "amount": 1, "reason": "why", "reference": UUID().uuidString]
            ),
            Act(.operator, "classes/\(ServerHarness.someClass())", definition, method: .put),
            Act(.operator, "classes/\(ServerHarness.someClass())/cancel", ["reason": "ill"]),
            Act(
                .admin,
                "products/pack-\(UUID().uuidString.prefix(8).lowercased())",
                [
                    "kind": "pack", "name": "A pack", "unit": "credit", "amount": 5,
                    "price": ["amount": 5, "currency": "USD"] as [String: any Sendable],
                ],
                method: .put
            ),
            Act(.operator, "reconcile", ["user_id": user]),
        ]
    }

    @Test(arguments: OperatorRight.allCases)
    func `a right allows exactly the operations that it includes`(right: OperatorRight) async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            try await server.give(5, to: user)
            let group = try #require(Self.groups[right])
            let token = try ServerHarness.operatorToken(groups: ["nobody", group])
            let read = try await server.send(.get, "/operator/users/\(user)", token: token)
            #expect(read.status == 200)
            for act in Self.acts(user, try await server.definition()) {
                let answer = try await server.send(
                    act.method,
                    act.path,
                    token: token,
                    headers: ["Idempotency-Key": UUID().uuidString],
                    json: act.body
                )
                #expect(
                    (answer.problem == "right-missing") == (right < act.needs),
                    "\(right.rawValue) \(act.path): \(answer.text)"
                )
                guard answer.problem == "right-missing" else { continue }
                #expect(answer.status == 403)
                #expect(try answer.json["right"] as? String == right.rawValue)
                #expect(try answer.json["needs"] as? String == act.needs.rawValue)
            }
        }
    }

    @Test(arguments: [[], ["nobody"], ["owner"]])
    func `an operator without a right may change and read nothing`(groups: [String]) async throws {
        try await ServerHarness.withDatabase { server in
            let token = try ServerHarness.operatorToken(groups: groups)
            for path in ["audit", "search?text=abc", "reports/revenue"] {
                let answer = try await server.send(.get, "/operator/\(path)", token: token)
                #expect(answer.status == 403)
                #expect(answer.problem == "right-missing")
            }
        }
    }

    @Test func `a claim may be nested text or a list, and only scope is split at spaces`() {
        let rights = OperatorRights(claim: "a.b", rights: ["desk": .support, "owners": .admin, "two words": .viewer])
        for (value, right) in [
            (JSONValue.text("desk"), OperatorRight?.some(.support)), (.text("desk owners"), nil),
            (.text("two words"), .viewer), (.array(["owners", "desk"]), .admin), (.array([1, "desk"]), .support),
            (.array(["desk owners"]), nil), (.text(""), nil), (.number(1), nil), (.object(["desk": "owners"]), nil),
            (.null, nil),
        ] {
            #expect(rights.right(in: .object(["a": .object(["b": value])])) == right, "\(value)")
        }
        #expect(rights.right(in: .object(["a.b": "desk"])) == nil)
        #expect(rights.right(in: .object(["a": "desk"])) == nil)
        let scopes = OperatorRights(claim: "scope", rights: ["wallet.read": .viewer, "wallet.all": .admin])
        #expect(scopes.right(in: .object(["scope": "openid wallet.read wallet.all"])) == .admin)
    }

    @Test(arguments: [
        (JSONValue.text("mia@studio.example"), JSONValue.bool(true), OperatorRight?.some(.admin)),
        (.text("mia@studio.example"), .bool(false), nil), (.text("mia@studio.example"), .text("true"), nil),
        (.text("mia@studio.example"), .null, nil),
        (.text(#""x mia@studio.example y"@evil.example"#), .bool(true), nil),
        (.text("evil@x.example mia@studio.example"), .bool(true), nil),
        (.text("mia@studio.example evil@x.example"), .bool(true), nil),
        (.text(" mia@studio.example"), .bool(true), nil), (.text("mia@studio.example\n"), .bool(true), nil),
        (.text("Mia <mia@studio.example>"), .bool(true), nil), (.text("MIA@studio.example"), .bool(true), nil),
        (.text("mia@studio.example@evil.example"), .bool(true), nil),
        (.array([.text("mia@studio.example")]), .bool(true), nil),
    ])
    func `an e-mail gives a right only as the exact, verified, single address`(
        email: JSONValue,
        verified: JSONValue,
        right: OperatorRight?
    ) {
        let claims = JSONValue.object(["email": email, "email_verified": verified])
        for (claim, holder) in [("email", claims), ("person.email", .object(["person": claims]))] {
            let rights = OperatorRights(claim: claim, rights: ["mia@studio.example": .admin])
            #expect(rights.right(in: holder) == right, "\(claim)")
        }
        // The verification of another e-mail claim does not count.
        let apart = JSONValue.object(["person": .object(["email": email]), "email_verified": .bool(true)])
        #expect(OperatorRights(claim: "person.email", rights: ["mia@studio.example": .admin]).right(in: apart) == nil)
    }
}
