import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing
import Wallet

extension ServerHarness {
    /// What the sandbox store sold.
    struct Sale: Decodable, Sendable {
        let transactionID: String
        let receipt: String

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case receipt
        }
    }

    /// Buys a pack in the sandbox store and returns its receipt.
    func buy(
        _ user: String,
        environment: String = "production",
        accountToken: String? = nil,
        separate: Bool = false
    ) async throws -> Sale {
        var body: [String: any Sendable] = [
            "user_id": user, "product_id": Self.pack, "environment": environment, "separate": separate,
        ]
        body["app_account_token"] = accountToken
        return try await self.store("purchases", body)
    }

    /// Makes a receipt of given transactions.
    func receipt(of transactions: [String]) async throws -> String {
        struct Made: Decodable { let receipt: String }
        return try await self.store("receipts", ["transaction_ids": transactions], as: Made.self).receipt
    }

    /// Makes the store fail.
    func fault(_ fault: [String: any Sendable]) async throws {
        struct Pending: Decodable { let pending: Int }
        _ = try await self.store("faults", fault, as: Pending.self)
    }

    private func store<Value: Decodable>(
        _ control: String,
        _ body: [String: any Sendable],
        as type: Value.Type = Value.self
    ) async throws -> Value {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(try #require(self.storePort))/sandbox/\(control)")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let answer = try await response.body.collect(upTo: 4 * 1024 * 1024)
        try #require(response.status == .ok, "\(String(buffer: answer))")
        return try JSONDecoder().decode(type, from: Data(buffer: answer))
    }

    /// Submits a receipt as a user.
    func submit(_ receipt: String, as user: String, naming transaction: String? = nil) async throws -> Answer {
        var body: [String: any Sendable] = ["store": "app_store", "receipt": receipt]
        body["transaction_id"] = transaction
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        return try await self.send(.post, "/receipts", as: user, body: text)
    }

    /// Makes a class that begins after some hours.
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

    /// A user whom no other test knows.
    static func someone() -> String { UUID().uuidString.lowercased() }
}
