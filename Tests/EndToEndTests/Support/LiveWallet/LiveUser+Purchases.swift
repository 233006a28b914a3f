import Foundation
import WalletClient

extension LiveUser {
    /// Posts a JSON object.
    func post(_ path: String, _ members: [String: JSONValue]) async throws -> WebAnswer {
        try await self.send(.post, path, body: String(decoding: JSONEncoder().encode(members), as: UTF8.self))
    }

    func submit(signed transaction: String) async throws -> WebAnswer {
        try await self.post("/receipts", ["store": "app_store", "signed_transaction": .string(transaction)])
    }

    func submit(playPurchase sale: SandboxStore.Sale, of product: String) async throws -> WebAnswer {
        try await self.post(
            "/receipts",
            ["store": "play_store", "product_id": .string(product), "purchase_token": .string(sale.purchaseToken)]
        )
    }

    func submit(transactionID: String) async throws -> WebAnswer {
        try await self.post("/receipts", ["store": "app_store", "transaction_id": .string(transactionID)])
    }

    /// Makes the wallet query RevenueCat about the user.
    func sync() async throws -> WebAnswer {
        try await self.post("/receipts", ["store": "revenuecat"])
    }

    func restore(signed transactions: [String]) async throws -> WebAnswer {
        try await self.post(
            "/restore",
            ["store": "app_store", "signed_transactions": .array(transactions.map { .string($0) })]
        )
    }

    func deleteAccount() async throws {
        let answer = try await self.send(.delete, "/account")
        guard answer.status == 204 else { throw HarnessError("the account stays: \(answer.outcome)") }
    }

    func owed() async throws -> Int64 {
        try await self.client.balance().owedCredits
    }

    /// Returns the number and the sum of ledger entries of a kind.
    func booked(_ kind: LedgerEntryKind) async throws -> (count: Int, amount: Int64) {
        let entries = try await self.client.transactions(limit: 100).items.filter { $0.kind == kind }
        return (entries.count, entries.reduce(0) { $0 + $1.amount })
    }
}

extension WebAnswer {
    /// The granted amounts, and which of them were duplicates.
    var grants: [Grant] {
        self["granted"]?.items.map { Grant(amount: $0["amount"]?.integerValue ?? -1, isKnown: $0["duplicate"] == true) }
            ?? []
    }

    /// The reasons why transactions were skipped.
    var skips: [String] { self["skipped"]?.items.compactMap { $0["reason"]?.stringValue } ?? [] }
}

/// A grant that belongs to the caller.
struct Grant: Sendable, Equatable {
    let amount: Int64
    let isKnown: Bool

    static func new(_ amount: Int64) -> Grant { Grant(amount: amount, isKnown: false) }
    static func known(_ amount: Int64) -> Grant { Grant(amount: amount, isKnown: true) }
}
