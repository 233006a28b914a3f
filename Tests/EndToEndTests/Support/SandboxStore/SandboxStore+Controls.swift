import Foundation
import WalletClient

extension SandboxStore {
    static let explorerPlan = "com.hobbyist.bookingapp.subscription.explorer"
    static let enthusiastPlan = "com.hobbyist.bookingapp.subscription.enthusiast"

    /// Buys from Google Play.
    func buyAtPlay(_ product: String, for user: String, _ members: [String: JSONValue] = [:]) async throws -> Sale {
        try await self.buy(product, for: user, members.merging(["store": "play_store"]) { $1 })
    }

    /// Applies a control to the subscription of a sale: renew, cancel or expire.
    @discardableResult
    func change(_ sale: Sale, _ control: String, _ members: [String: JSONValue] = [:]) async throws -> Sale {
        let path = "subscriptions/\(sale.originalTransactionID)/\(control)"
        return try Sale(await self.settling { try await self.post(path, members) })
    }

    /// Refunds a percentage of a sale, or the rest of it.
    func refund(_ sale: Sale, percentage: Int64? = nil) async throws {
        let members = percentage.map { ["percentage": JSONValue.integer($0)] } ?? [:]
        _ = try await self.settling { try await self.post("transactions/\(sale.transactionID)/refund", members) }
    }

    func reverseRefund(_ sale: Sale) async throws {
        _ = try await self.settling { try await self.post("transactions/\(sale.transactionID)/refund-reverse", [:]) }
    }

    /// Completes a pending purchase by paying it.
    func complete(_ sale: Sale) async throws {
        _ = try await self.settling { try await self.post("transactions/\(sale.transactionID)/complete", [:]) }
    }

    /// Returns the user's signed app transaction.
    func appTransaction(of user: String) async throws -> String {
        let answer = try await self.post("app-transactions", ["user_id": .string(user)])
        guard let signed = answer["app_transaction"]?.stringValue else { throw HarnessError("no app transaction") }
        return signed
    }
}
