import Foundation
import HTTPTypes
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

@Suite(.database) struct AdjustmentRouteTests {
    private static let path = "/operator/adjustments"

    private static func adjustment(_ user: String, _ more: [String: any Sendable] = [:]) -> [String: any Sendable] {
        let adjustment: [String: any Sendable] = [
            "user_id": user, "unit": "credit", "amount": 30, "reason": "Booked twice at the desk.",
            "reference": "desk-\(UUID().uuidString)", "new_user": true,
        ]
        return adjustment.merging(more) { $1 }
    }

    @Test func `an adjustment is posted once per key and once per reference`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let adjustment = Self.adjustment(user)
            let posted = try await server.operate(.post, Self.path, key: "a-\(user)", json: adjustment)
            #expect(posted.status == 201, "\(posted.text)")
            let answer = try #require(try posted.json["adjustment"] as? [String: Any])
            #expect(answer["user_id"] as? String == user)
            #expect(answer["environment"] as? String == "production")
            #expect(answer["source"] as? String == "adjustment")
            #expect(answer["expires_at"] is NSNull)
            let lot = try #require(answer["lot_id"] as? String)
            #expect(try posted.json["balance"] as? [String: Int] == ["credits": 30, "visits": 0, "version": 1])

            let replay = try await server.operate(.post, Self.path, key: "a-\(user)", json: adjustment)
            #expect(replay.status == 200)
            #expect(replay.headers[.idempotentReplayed] == "true")
            #expect((try replay.json["adjustment"] as? [String: Any])?["lot_id"] as? String == lot)
            let changed = adjustment.merging(["amount": 31]) { $1 }
            #expect(
                try await server.operate(.post, Self.path, key: "a-\(user)", json: changed).problem
                    == "idempotency-key-reused"
            )
            #expect(try await server.operate(.post, Self.path, json: changed).problem == "reference-reused")
            #expect(try await server.credits(of: user) == 30)

            let taken = try await server.operate(.post, Self.path, json: Self.adjustment(user, ["amount": -10]))
            #expect(taken.status == 201)
            #expect((try taken.json["adjustment"] as? [String: Any])?["lot_id"] is NSNull)
            let short = try await server.operate(.post, Self.path, json: Self.adjustment(user, ["amount": -21]))
            #expect(short.status == 409)
            #expect(short.problem == "balance-too-low")
            #expect(try short.json["available"] as? Int == 20)
            #expect(try short.json["needed"] as? Int == 1)
            #expect(try short.json["offers"] == nil)
            #expect(try short.json["detail"] as? String == "Cannot deduct 21 credits; the balance is 20.")
            #expect(try await server.credits(of: user) == 20)
        }
    }

    @Test func `an unknown user is created only with new_user`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            for more in [[:], ["new_user": false]] as [[String: any Sendable]] {
                let adjustment = Self.adjustment(user).filter { $0.key != "new_user" }.merging(more) { $1 }
                for path in [Self.path, Self.path + "?dry_run=true"] {
                    let refused = try await server.operate(.post, path, json: adjustment)
                    #expect(refused.status == 404, "\(path) \(refused.text)")
                    #expect(refused.problem == "user-not-found")
                }
            }
            let token = try ServerHarness.operatorToken()
            let unknown = try await server.send(.get, "/operator/users/\(user)", token: token)
            #expect(unknown.problem == "user-not-found")
        }
    }

    @Test func `what is confirmed is what a dry run showed, or nothing`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            try await server.give(10, to: user)
            let wanted = Self.adjustment(user, ["amount": 5])
            let shown = try await server.operate(.post, Self.path + "?dry_run=true", json: wanted)
            #expect(try shown.json["before"] as? [String: Int] == ["credits": 10, "visits": 0])
            let preview = try #require(try shown.json["preview"] as? String)
            let confirmed = Self.path + "?preview=\(preview)"
            for other in [wanted.merging(["amount": 6]) { $1 }, wanted.merging(["reason": "Another."]) { $1 }] {
                #expect(try await server.operate(.post, confirmed, json: other).status == 412)
            }
            let sandbox = try await server.operate(.post, confirmed, environment: "sandbox", json: wanted)
            #expect(sandbox.problem == "preview-outdated", "\(sandbox.text)")
            try await server.give(1, to: user)
            let late = try await server.operate(.post, confirmed, json: wanted)
            #expect(late.status == 412)
            #expect(late.problem == "preview-outdated")
            #expect(try late.json["before"] as? [String: Int] == ["credits": 11, "visits": 0])
            #expect(try late.json["after"] as? [String: Int] == ["credits": 16, "visits": 0])
            #expect(try await server.credits(of: user) == 11)
            let next = try #require(try late.json["preview"] as? String)
            let done = try await server.operate(.post, Self.path + "?preview=\(next)", key: "k-\(user)", json: wanted)
            #expect(done.status == 201, "\(done.text)")
            #expect(try done.json["preview"] is NSNull)
            let again = try await server.operate(.post, Self.path + "?preview=\(next)", key: "k-\(user)", json: wanted)
            #expect(again.status == 200)
            #expect(try again.json["before"] is NSNull)
            #expect(try await server.credits(of: user) == 16)
            let malformed = try await server.operate(.post, Self.path + "?preview=x", json: wanted)
            #expect(malformed.problem == "malformed-request")
        }
    }

    @Test func `an operator moves no more on one day than is configured`() async throws {
        try await ServerHarness.withDatabase { server in
            let (user, actor) = (ServerHarness.someone(), ServerHarness.someone())
            func move(_ amount: Int, by actor: String, in environment: String = "production") async throws -> Answer {
                try await server.send(
                    .post,
                    Self.path,
                    token: ServerHarness.operatorToken(actor),
                    headers: ["Idempotency-Key": UUID().uuidString, "Wallet-Environment": environment],
                    json: Self.adjustment(user, ["amount": amount])
                )
            }
            for number in 0..<20 {
                #expect(try await move(number % 2 == 0 ? 1_000 : -1_000, by: actor).status == 201)
            }
            let refused = try await move(1, by: actor)
            #expect(refused.status == 403)
            #expect(refused.problem == "daily-amount-exceeded")
            #expect(try refused.json["maximum"] as? Int == 20_000)
            #expect(try refused.json["remaining"] as? Int == 0)
            #expect(try await server.credits(of: user) == 0)
            #expect(try await move(1, by: actor, in: "sandbox").status == 201)
            #expect(try await move(1, by: ServerHarness.someone()).status == 201)
        }
    }

    @Test func `a gift may expire and shows its lot`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let end = try await server.wallet.now().addingTimeInterval(30 * 86_400).formatted(.iso8601)
            let gift = Self.adjustment(user, ["unit": "visit", "amount": 2, "source": "gift", "expires_at": end])
            let posted = try await server.operate(.post, Self.path, json: gift)
            #expect(posted.status == 201, "\(posted.text)")
            let answer = try #require(try posted.json["adjustment"] as? [String: Any])
            #expect(answer["source"] as? String == "gift")
            #expect(answer["expires_at"] as? String == end)

            let balance = try await server.send(.get, "/balance", as: user).json
            let lot = try #require((balance["lots"] as? [[String: Any]])?.first)
            #expect(lot["lot_id"] as? String == answer["lot_id"] as? String)
            #expect(lot["source"] as? String == "promo")
            let expirations = try #require(balance["upcoming_expirations"] as? [[String: Any]])
            #expect(expirations.map { $0["amount"] as? Int } == [2])
            #expect(expirations.map { $0["expires_at"] as? String } == [end])
        }
    }

    @Test func `the header selects the wallet's environment`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            let adjustment = Self.adjustment(user, ["environment": "sandbox"])
            let posted = try await server.operate(.post, Self.path, environment: "sandbox", json: adjustment)
            #expect((try posted.json["adjustment"] as? [String: Any])?["environment"] as? String == "sandbox")
            #expect(try await server.credits(of: user) == 0)
            let headless = try await server.operate(.post, Self.path, json: adjustment)
            #expect(headless.problem == "malformed-request")
            #expect(try await server.credits(of: user) == 0)
        }
    }

    @Test(arguments: [1_001, -1_001, Int.min, Int.max])
    func `one call moves no more than is configured`(amount: Int) async throws {
        try await ServerHarness.withoutDatabase { server in
            let answer = try await server.operate(.post, Self.path, json: Self.adjustment("ann", ["amount": amount]))
            #expect(answer.status == 403)
            #expect(answer.problem == "amount-too-large")
            #expect(try answer.json["maximum"] as? Int == 1_000)
        }
    }

    @Test func `the maximum amount is allowed`() async throws {
        try await ServerHarness.withDatabase { server in
            let user = ServerHarness.someone()
            for amount in [1_000, -1_000] {
                let adjustment = Self.adjustment(user, ["amount": amount])
                let posted = try await server.operate(.post, Self.path, json: adjustment)
                #expect(posted.status == 201)
            }
        }
    }

    static let malformed: [[String: any Sendable]] = [
        ["amount": 0], ["amount": 1.5], ["amount": "1"], ["unit": "euro"], ["user_id": ""], ["user_id": "a\u{7}"],
        ["reason": " "], ["reason": String(repeating: "x", count: 501)], ["reference": ""],
        ["reference": String(repeating: "x", count: 201)], ["source": "bribe"], ["source": "gift", "amount": -1],
        ["environment": "sandbox"], ["environment": "staging"], ["expires_at": "tomorrow"],
        ["amount": -1, "expires_at": "2027-01-01T00:00:00Z"], ["user_id": " "], ["user_id": "\u{3000}\u{2003}"],
        ["user_id": "ann\u{202E}"], ["user_id": "ann\u{200F}"], ["user_id": "a\u{85}"], ["reference": "\u{A0}"],
        ["reference": "a\u{2066}b"], ["reference": "a\u{200E}"], ["reason": "\u{2028}"], ["reason": "a\u{202A}b"],
        ["reason": "a\u{2069}"], ["reason": "a\u{9F}"], ["reason": "\u{200B}"],
    ]

    @Test(arguments: Self.malformed.indices)
    func `an invalid adjustment is malformed`(index: Int) async throws {
        try await ServerHarness.withoutDatabase { server in
            let adjustment = Self.adjustment("ann", Self.malformed[index])
            let answer = try await server.operate(.post, Self.path, json: adjustment)
            #expect(answer.problem == "malformed-request", "\(Self.malformed[index])")
        }
    }

    @Test func `only operators may adjust, and need a key`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let adjustment = Self.adjustment("ann")
            #expect(try await server.send(.post, Self.path, as: "ann", json: adjustment).problem == "unauthenticated")
            let keyless = try await server.send(
                .post,
                Self.path,
                token: ServerHarness.operatorToken(),
                json: adjustment
            )
            #expect(keyless.problem == "idempotency-key-missing")
        }
    }
}
