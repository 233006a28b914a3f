import Foundation
import HTTPTypes
import SandboxStores
import Testing

@Suite
struct ServerAPITests {
    private let key = ServerAPIKey()

    private func run(_ body: @escaping @Sendable (Stores, String) async throws -> Void) async throws {
        let token = try self.key.token()
        try await Stores.run(self.key.configuration) { stores async throws in try await body(stores, token) }
    }

    @Test
    func `a transaction is found only in its own environment`() async throws {
        try await self.run { stores, token async throws in
            let real = try #require(try await stores.buy().text("transaction_id"))
            let test = try #require(
                try await stores.buy(starter, ["environment": "sandbox"]).text("transaction_id")
            )
            let answer = try await stores.call("/inApps/v1/transactions/\(real)", token: token)
            let signed = try SignedData(answer.text("signedTransactionInfo"), root: stores.root).payload
            #expect(signed.text("transactionId") == real)
            let found = try await stores.call("/sandbox-api/inApps/v1/transactions/\(test)", token: token)
            #expect(found.status == 200)
            for path in ["/inApps/v1/transactions/\(test)", "/sandbox-api/inApps/v1/transactions/\(real)"] {
                let refused = try await stores.call(path, token: token)
                #expect(refused.status == 404)
                #expect(refused.number("errorCode") == 4_040_010)
                #expect(refused.text("errorMessage") != nil)
            }
            let nonsense = try await stores.call("/inApps/v1/transactions/abc", token: token)
            #expect(nonsense.status == 400)
            #expect(nonsense.number("errorCode") == 4_000_006)
        }
    }

    @Test
    func `purchases of Google Play and of other apps are not found`() async throws {
        try await self.run { stores, token async throws in
            let other = try await stores.buy(starter, ["bundle_id": "com.example.other"])
            let id = try #require(other.text("transaction_id"))
            #expect(try await stores.call("/inApps/v1/transactions/\(id)", token: token).status == 404)
        }
    }

    @Test
    func `only a token of the configured key is accepted`() async throws {
        let now = Int(Date().timeIntervalSince1970)
        let wrong: [String?] = [
            nil, "", "a.b.c",
            try ServerAPIKey().token(),
            try self.key.token(header: ["kid": "OTHER"]),
            try self.key.token(header: ["alg": "none"]),
            try self.key.token(claims: ["iss": "someone"]),
            try self.key.token(claims: ["aud": "elsewhere"]),
            try self.key.token(claims: ["bid": "com.example.other"]),
            try self.key.token(claims: ["exp": now - 1]),
            try self.key.token(claims: ["exp": now + 7_200]),
            try self.key.token(claims: ["iat": now + 600, "exp": now + 900]),
            try self.key.token() + "x",
        ]
        try await self.run { stores, token async throws in
            let id = try #require(try await stores.buy().text("transaction_id"))
            for token in wrong {
                #expect(try await stores.call("/inApps/v1/transactions/\(id)", token: token).status == 401)
            }
            #expect(try await stores.call("/inApps/v1/transactions/\(id)", token: token).status == 200)
        }
    }

    @Test
    func `a token may use the stores' clock, and without a key all are refused`() async throws {
        let later = try self.key.token(at: Date(timeIntervalSinceNow: 86_400))
        try await self.run { stores, token async throws in
            let id = try #require(try await stores.buy().text("transaction_id"))
            #expect(try await stores.call("/inApps/v1/transactions/\(id)", token: later).status == 401)
            try await stores.step("clock", ["advance_seconds": 86_400, "renew": false])
            #expect(try await stores.call("/inApps/v1/transactions/\(id)", token: later).status == 200)
            #expect(try await stores.call("/inApps/v1/transactions/\(id)", token: token).status == 200)
        }
        try await Stores.run { stores async throws in
            #expect(try await stores.call("/inApps/v1/transactions/1", token: later).status == 401)
        }
    }

    @Test
    func `a subscription's status follows its life`() async throws {
        try await self.run { stores, token async throws in
            let sale = try await stores.buy(monthly)
            let id = try #require(sale.text("original_transaction_id"))
            let path = "/inApps/v1/subscriptions/\(id)"
            func status() async throws -> Int? {
                let answer = try await stores.call(path, token: token)
                return answer.list("data").first?.list("lastTransactions").first?.number("status")
            }
            #expect(try await status() == 1)
            try await stores.step("subscriptions/\(id)/billing-issue", ["grace_days": 2])
            #expect(try await status() == 4)
            try await stores.step("clock", ["advance_seconds": 3 * 86_400, "renew": false])
            #expect(try await status() == 3)
            let renewal = try await stores.step("subscriptions/\(id)/recover")
            #expect(try await status() == 1)
            #expect(try await stores.call(path + "?status=2", token: token).list("data").isEmpty)
            try await stores.step("transactions/\(renewal.text("transaction_id") ?? "")/refund")
            #expect(try await status() == 5)
            try await stores.step("transactions/\(renewal.text("transaction_id") ?? "")/refund-reverse")
            try await stores.step("clock", ["advance_seconds": 10, "renew": false])
            try await stores.step("subscriptions/\(id)/expire")
            #expect(try await status() == 2)
        }
    }

    @Test
    func `consumption information is accepted with consent and listed`() async throws {
        try await self.run { stores, token async throws in
            let id = try #require(try await stores.buy().text("transaction_id"))
            let path = "/inApps/v2/transactions/consumption/\(id)"
            let told: [String: any Sendable] = ["customerConsented": true, "consumptionPercentage": 50_000]
            #expect(try await stores.call(path, token: token, method: .put, told).status == 202)
            let refused = try await stores.call(path, token: token, method: .put, ["customerConsented": false])
            #expect(refused.status == 400)
            let list = try await stores.get("/sandbox/consumptions").list("consumptions")
            #expect(list.map { $0.text("transaction_id") } == [id])
            #expect(list.first?.text("body")?.contains("50000") == true)
        }
    }

    @Test
    func `a fault of the API does not affect other endpoints`() async throws {
        try await self.run { stores, token async throws in
            let sale = try await stores.buy()
            let path = "/inApps/v1/transactions/\(sale.text("transaction_id") ?? "")"
            _ = try await stores.post(
                "/sandbox/faults",
                ["target": "server_api", "status": 429, "environment": "production"]
            )
            #expect(try await stores.verify(sale.text("receipt")).number("status") == 0)
            #expect(try await stores.call("/sandbox-api" + path, token: token).status == 404)
            #expect(try await stores.call(path, token: token).status == 429)
            #expect(try await stores.call(path, token: token).status == 200)
            #expect(try await stores.post("/sandbox/faults", ["target": "moon", "status": 500]).status == 400)
            let receiptStatus: [String: any Sendable] = ["target": "server_api", "status": 21_005]
            #expect(try await stores.post("/sandbox/faults", receiptStatus).status == 400)
        }
    }
}
