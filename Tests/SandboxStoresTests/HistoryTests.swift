import Foundation
import HTTPTypes
import SandboxStores
import Testing

@Suite
struct HistoryTests {
    private let key = ServerAPIKey()

    private static func ids(_ answer: Stores.Answer, _ stores: Stores) throws -> [String] {
        let signed = try #require(answer.json["signedTransactions"] as? [String])
        return try signed.map { try #require(try SignedData($0, root: stores.root).payload.text("transactionId")) }
    }

    @Test
    func `a history has pages of twenty without duplicates, including finished purchases`() async throws {
        let token = try self.key.token()
        try await Stores.run(self.key.configuration) { stores async throws in
            var bought: [String] = []
            for _ in 0..<45 {
                bought.append(try #require(try await stores.buy().text("transaction_id")))
            }
            try await stores.step("transactions/\(bought[3])/finish")
            _ = try await stores.buy(starter, ["user_id": "bob"])
            var seen: [[String]] = []
            var revision = ""
            for expectsMore in [true, true, false] {
                let path = "/inApps/v2/history/\(bought[7])?revision=\(revision)"
                let page = try await stores.call(path, token: token)
                seen.append(try Self.ids(page, stores))
                #expect(page.json["hasMore"] as? Bool == expectsMore)
                #expect(page.text("bundleId") == "com.example.app")
                revision = try #require(page.text("revision"))
            }
            #expect(seen.map(\.count) == [20, 20, 5])
            #expect(seen.flatMap { $0 } == bought)
            try await stores.step("transactions/\(bought[0])/refund")
            let changed = try await stores.call("/inApps/v2/history/\(bought[7])?revision=\(revision)", token: token)
            #expect(try Self.ids(changed, stores) == [bought[0]])
            let bad = try await stores.call("/inApps/v2/history/\(bought[7])?revision=zzz", token: token)
            #expect(bad.number("errorCode") == 4_000_005)
        }
    }

    @Test
    func `a history can be filtered and reversed`() async throws {
        let token = try self.key.token()
        try await Stores.run(self.key.configuration) { stores async throws in
            let pack = try #require(try await stores.buy().text("transaction_id"))
            let plan = try #require(try await stores.buy(monthly).text("transaction_id"))
            try await stores.step("transactions/\(pack)/refund")
            let path = "/inApps/v2/history/\(pack)"
            for (query, expected) in [
                ("", [plan, pack]), ("?productType=AUTO_RENEWABLE", [plan]), ("?revoked=true", [pack]),
                ("?revoked=false", [plan]), ("?productId=\(starter)", [pack]), ("?sort=DESCENDING", [pack, plan]),
                ("?startDate=99999999999999", []),
            ] {
                #expect(try Self.ids(try await stores.call(path + query, token: token), stores) == expected)
            }
            let refunds = try await stores.call("/inApps/v2/refund/lookup/\(plan)", token: token)
            #expect(try Self.ids(refunds, stores) == [pack])
            #expect(refunds.json["hasMore"] as? Bool == false)
        }
    }

    @Test
    func `the notification history lists sent and failed notifications`() async throws {
        let token = try self.key.token()
        try await Receiver.run(self.key.configuration) { stores, receiver async throws in
            receiver.answer(Array(repeating: 500, count: 5))
            let lost = try #require(try await stores.buy().text("transaction_id"))
            for _ in 0..<21 {
                _ = try await stores.buy()
            }
            let path = "/inApps/v1/notifications/history"
            let all: [String: any Sendable] = ["startDate": 0, "endDate": 99_999_999_999_999]
            let first = try await stores.call(path, token: token, method: .post, all)
            #expect(first.list("notificationHistory").count == 20)
            let next = try #require(first.text("paginationToken"))
            let rest = try await stores.call(path + "?paginationToken=\(next)", token: token, method: .post, all)
            #expect(rest.list("notificationHistory").count == 2)
            #expect(rest.json["hasMore"] as? Bool == false)
            let failed = try await stores.call(
                path,
                token: token,
                method: .post,
                all.merging(["onlyFailures": true]) { $1 }
            )
            let items = failed.list("notificationHistory")
            #expect(items.count == 1)
            #expect(
                items.first?.list("sendAttempts").map { $0.text("sendAttemptResult") }
                    == Array(repeating: "UNSUCCESSFUL_HTTP_RESPONSE_CODE", count: 5)
            )
            let payload = try SignedData(items.first?.text("signedPayload"), root: stores.root)
            #expect(payload.type == "ONE_TIME_CHARGE")
            let ofOne = try await stores.call(
                path,
                token: token,
                method: .post,
                all.merging(["transactionId": lost]) { $1 }
            )
            #expect(ofOne.list("notificationHistory").count == 1)
            let backwards: [String: any Sendable] = ["startDate": 5, "endDate": 4]
            #expect(try await stores.call(path, token: token, method: .post, backwards).status == 400)
        }
    }
}
