import Foundation
import Postgres
import TestSupport
import WalletClient

/// The controls of the sandbox stores.
struct SandboxStore: Sendable {
    let web: WebClient
    /// The URL that opens the wallet's database as the superuser.
    let databaseURL: String

    /// A sale: the transaction and the proofs that its store gives the app.
    struct Sale: Sendable {
        let transactionID: String
        let originalTransactionID: String
        /// The App Store's receipt; empty for a sale of Google Play, and when nothing new was sold.
        let receipt: String
        /// The App Store's signed transaction; empty for a sale of Google Play.
        let signedTransaction: String
        /// Google Play's purchase token; empty for a sale of the App Store.
        let purchaseToken: String

        init(_ answer: [String: JSONValue]) throws {
            guard
                let transaction = answer["transaction_id"]?.stringValue,
                let original = answer["original_transaction_id"]?.stringValue
            else { throw HarnessError("the store sold nothing: \(answer)") }
            self.transactionID = transaction
            self.originalTransactionID = original
            self.receipt = answer["receipt"]?.stringValue ?? ""
            self.signedTransaction = answer["signed_transaction"]?.stringValue ?? ""
            self.purchaseToken = answer["purchase_token"]?.stringValue ?? ""
        }
    }

    static let starter = "com.hobbyist.bookingapp.credits.starter"
    static let explorer = "com.hobbyist.bookingapp.credits.explorer"
    static let power = "com.hobbyist.bookingapp.credits.power"

    /// Buys a product; the receipt contains only this purchase unless the user's other purchases are requested.
    func buy(_ product: String, for user: String, _ members: [String: JSONValue] = [:]) async throws -> Sale {
        let purchase: [String: JSONValue] = ["user_id": .string(user), "product_id": .string(product)]
        return try Sale(await self.settling { try await self.post("purchases", purchase.merging(members) { $1 }) })
    }

    /// Creates one receipt of transactions that may belong to several users.
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

    /// Returns the number of calls of the verification endpoint, production and sandbox together.
    func calls() async throws -> Int {
        let counts = try await self.web.send(.get, "/sandbox/calls").json
        return Int((counts["production"]?.integerValue ?? 0) + (counts["sandbox"]?.integerValue ?? 0))
    }

    /// Returns the time of the clock that the stores and the wallet share.
    func now() async throws -> Date {
        let text = try await self.web.send(.get, "/sandbox/clock").json["now"]?.stringValue ?? ""
        return try Date(text, strategy: .iso8601)
    }

    /// Moves the clock; subscriptions renew only if `renewing` is true.
    func advanceClock(days: Int, seconds: Int = 0, renewing: Bool = false) async throws {
        let move: [String: JSONValue] = [
            "advance_seconds": .integer(Int64(days * 86_400 + seconds)), "renew": .bool(renewing),
        ]
        _ = try await self.settling { try await self.post("clock", move) }
    }

    /// Runs a control, and waits until the wallet has applied the messages that the control posted.
    ///
    /// The wallet answers after 3 seconds, although a lookup may take longer. A quick control therefore ends after all
    /// lookups.
    ///
    /// - Parameter control: The control.
    /// - Returns: The control's result.
    /// - Throws: What the control throws, and ``TestSupportError`` if the wallet takes longer than 3 minutes.
    func settling<Value>(_ control: () async throws -> Value) async throws -> Value {
        let began = ContinuousClock.now
        let value = try await control()
        if ContinuousClock.now - began > .seconds(2) { try await self.settle() }
        return value
    }

    /// Waits until the wallet has applied the messages that it has received so far, or cannot apply them now.
    ///
    /// - Throws: ``TestSupportError`` after 3 minutes.
    func settle() async throws {
        let connection = try await Connection.connect(
            ConnectionConfiguration(patient: self.databaseURL),
            logger: .quiet
        )
        defer { connection.close() }
        let rows = try await connection.query("SELECT coalesce(max(inbox_id), 0) AS last FROM admin.webhook_inbox")
        guard let last = try rows.first?.decode("last", as: Int64.self) else { return }
        try await eventually("the wallet has applied the stores' messages", within: .seconds(180)) {
            try await connection.query(
                "SELECT FROM admin.webhook_inbox WHERE status = 'new' AND inbox_id <= \(last)"
            ).isEmpty
        }
    }

    func post(_ control: String, _ members: [String: JSONValue]) async throws -> [String: JSONValue] {
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
