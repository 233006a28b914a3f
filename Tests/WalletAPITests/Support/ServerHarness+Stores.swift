import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing
import Wallet

extension ServerHarness {
    /// A sale of a sandbox store.
    struct Sale: Decodable, Sendable {
        let transactionID: String
        let receipt: String?
        let signedTransaction: String?
        let purchaseToken: String?

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case receipt
            case signedTransaction = "signed_transaction"
            case purchaseToken = "purchase_token"
        }
    }

    /// A message of a store.
    struct Message: Decodable, Sendable {
        let source: String
        let id: String
        let type: String
        let body: String
    }

    private struct Done: Decodable {}

    /// Buys a pack in the sandbox App Store, unless `more` overrides this.
    func buy(
        _ user: String,
        environment: String = "production",
        accountToken: String? = nil,
        separate: Bool = false,
        more: [String: any Sendable] = [:]
    ) async throws -> Sale {
        var body: [String: any Sendable] = [
            "user_id": user, "product_id": Self.pack, "environment": environment, "separate": separate,
        ]
        body["app_account_token"] = accountToken
        return try await self.control("purchases", body.merging(more) { $1 })
    }

    /// Creates a receipt of the given transactions.
    func receipt(of transactions: [String]) async throws -> String {
        struct Made: Decodable { let receipt: String }
        return try await self.control("receipts", ["transaction_ids": transactions], as: Made.self).receipt
    }

    /// Returns the user's signed app transaction.
    func appTransaction(of user: String) async throws -> String {
        struct Made: Decodable {
            let signed: String
            enum CodingKeys: String, CodingKey { case signed = "app_transaction" }
        }
        return try await self.control("app-transactions", ["user_id": user], as: Made.self).signed
    }

    /// Makes the stores fail.
    func fault(_ fault: [String: any Sendable]) async throws {
        _ = try await self.control("faults", fault, as: Done.self)
    }

    /// Makes the stores work again.
    func endFaults() async throws {
        let url = "http://127.0.0.1:\(try #require(self.storePort))/sandbox/faults"
        var request = HTTPClientRequest(url: url)
        request.method = .DELETE
        _ = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    }

    /// Returns how many receipts the wallet has sent to the App Store's production endpoint.
    func receiptCalls() async throws -> Int {
        try #require(try await self.read("calls", as: [String: Int].self)["production"])
    }

    /// Makes the stores record their messages without posting them.
    func holdNotificationsBack() async throws {
        _ = try await self.control("notifications", ["enabled": false], as: Done.self)
    }

    /// Returns the messages of one store, oldest first.
    func messages(of source: String) async throws -> [Message] {
        struct List: Decodable { let notifications: [Message] }
        return try await self.read("notifications", as: List.self).notifications.filter { $0.source == source }
    }

    /// Reads what the stores return at a path below `/sandbox`.
    private func read<Value: Decodable>(_ path: String, as type: Value.Type) async throws -> Value {
        let url = "http://127.0.0.1:\(try #require(self.storePort))/sandbox/\(path)"
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 4 * 1024 * 1024)
        return try JSONDecoder().decode(type, from: Data(buffer: answer))
    }

    /// Calls a control of the stores by its path below `/sandbox`.
    func control<Value: Decodable>(
        _ control: String,
        _ body: [String: any Sendable] = [:],
        as type: Value.Type = Value.self
    ) async throws -> Value {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(try #require(self.storePort))/sandbox/\(control)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 4 * 1024 * 1024)
        try #require(response.status == .ok, "\(String(buffer: answer))")
        return try JSONDecoder().decode(type, from: Data(buffer: answer))
    }

    /// Submits a receipt as a user.
    func submit(_ receipt: String?, as user: String, naming transaction: String? = nil) async throws -> Answer {
        var body: [String: any Sendable] = ["store": "app_store", "receipt": try #require(receipt)]
        body["transaction_id"] = transaction
        return try await self.send(.post, "/receipts", as: user, json: body)
    }

    /// Creates a class that begins in some hours.
    func makeClass(
        _ id: String,
        capacity: Int = 10,
        credits: Int = 20,
        startingIn hours: Double = 72
    ) async throws -> Answer {
        let start = try await self.wallet.now().addingTimeInterval(hours * 3_600)
        let body = """
            {"title": "Pottery", "starts_at": "\(start.formatted(.iso8601))",
            "ends_at": "\(start.addingTimeInterval(7_200).formatted(.iso8601))", "capacity": \(capacity),
            "price": {"credits": \(credits)}}
            """
        let headers = ["Idempotency-Key": UUID().uuidString]
        return try await self.send(
            .put,
            "/operator/classes/\(id)",
            token: Self.operatorToken(),
            headers: headers,
            body: body
        )
    }

    /// Books a class as a user.
    func book(_ id: String, as user: String, key: String = UUID().uuidString) async throws -> Answer {
        let headers = ["Idempotency-Key": key]
        return try await self.send(.post, "/bookings", as: user, headers: headers, body: #"{"class_id":"\#(id)"}"#)
    }

    /// Returns a unique user id.
    static func someone() -> String { UUID().uuidString.lowercased() }
}
