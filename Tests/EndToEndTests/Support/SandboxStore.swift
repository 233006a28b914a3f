import Foundation
import WalletClient

/// The controls of the sandbox stores.
struct SandboxStore: Sendable {
    let web: WebClient

    /// A sale: the transaction and a receipt that shows it.
    struct Sale: Sendable {
        let transactionID: String
        let originalTransactionID: String
        let receipt: String
    }

    static let starter = "com.hobbyist.bookingapp.credits.starter"
    static let explorer = "com.hobbyist.bookingapp.credits.explorer"
    static let power = "com.hobbyist.bookingapp.credits.power"

    /// Buys a product; the receipt shows this purchase alone unless the user's other purchases are wanted.
    func buy(_ product: String, for user: String, _ members: [String: JSONValue] = [:]) async throws -> Sale {
        let purchase: [String: JSONValue] = ["user_id": .string(user), "product_id": .string(product)]
        let answer = try await self.post("purchases", purchase.merging(members) { $1 })
        guard
            let transaction = answer["transaction_id"]?.stringValue, let receipt = answer["receipt"]?.stringValue,
            let original = answer["original_transaction_id"]?.stringValue
        else { throw HarnessError("the store sold nothing: \(answer)") }
        return Sale(transactionID: transaction, originalTransactionID: original, receipt: receipt)
    }

    /// Makes one receipt of transactions that may be several users'.
    func receipt(of transactions: [String]) async throws -> String {
        let answer = try await self.post("receipts", ["transaction_ids": .array(transactions.map { .string($0) })])
        guard let receipt = answer["receipt"]?.stringValue else { throw HarnessError("no receipt: \(answer)") }
        return receipt
    }

    /// Makes the next calls of the verification endpoint fail.
    func fail(_ fault: [String: JSONValue]) async throws {
        _ = try await self.post("faults", fault)
    }

    func healFaults() async throws {
        _ = try await self.web.send(.delete, "/sandbox/faults")
    }

    /// How often the verification endpoint was called, both sides together.
    func calls() async throws -> Int {
        let counts = try await self.web.send(.get, "/sandbox/calls").json
        return Int((counts["production"]?.integerValue ?? 0) + (counts["sandbox"]?.integerValue ?? 0))
    }

    /// The clock that the stores and the wallet share.
    func now() async throws -> Date {
        let text = try await self.web.send(.get, "/sandbox/clock").json["now"]?.stringValue ?? ""
        return try Date(text, strategy: .iso8601)
    }

    func advanceClock(days: Int, seconds: Int = 0) async throws {
        _ = try await self.post("clock", ["advance_seconds": .integer(Int64(days * 86_400 + seconds))])
    }

    func refund(_ transaction: String) async throws {
        _ = try await self.post("transactions/\(transaction)/refund", [:])
    }

    private func post(_ control: String, _ members: [String: JSONValue]) async throws -> [String: JSONValue] {
        let answer = try await self.web.send(
            .post,
            "/sandbox/\(control)",
            headers: [("content-type", "application/json")],
            body: try JSONEncoder().encode(members)
        )
        guard answer.status < 300 else { throw HarnessError("the store's \(control) answered \(answer.status)") }
        return answer.json
    }
}
