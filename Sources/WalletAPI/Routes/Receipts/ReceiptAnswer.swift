import Foundation
import Stores
import Wallet

/// The result for each transaction of a receipt.
struct ReceiptAnswer: Encodable, Sendable {
    /// A transaction that was granted to the caller.
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

    /// A transaction that was not granted to the caller, with the reason.
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
    /// The balance after the receipt, in the same form as in a booking's response.
    let balance: BalanceSummary
    let environment: WalletEnvironment
    /// The transactions that the app may finish, because a later submission would not change their result.
    let finish: [String]
}
