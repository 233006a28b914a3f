import Foundation
import Stores
import Wallet

/// Returns what became of each transaction of a receipt.
struct ReceiptAnswer: Encodable, Sendable {
    /// A transaction that the caller has the grant of.
    struct Granted: Encodable, Sendable {
        let transactionID: String
        @Nullable var productID: String?
        @Nullable var unit: CreditUnit?
        let amount: Int64
        @Nullable var lotID: UUID?
        let duplicate: Bool

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit, amount
            case lotID = "lot_id"
            case duplicate
        }
    }

    /// A transaction that gave the caller nothing, and why.
    struct Skipped: Encodable, Sendable {
        @Nullable var transactionID: String?
        let reason: String

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case reason
        }
    }

    let granted: [Granted]
    let skipped: [Skipped]
    let subscriptions: [Subscription]
    /// What the wallet holds afterwards, in the form that bookings answer.
    let balance: BalanceSummary
    let environment: WalletEnvironment
    /// The transactions that the app may finish: nothing better will come of keeping them.
    let finish: [String]
}
