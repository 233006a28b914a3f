public import Foundation

/// The wallet's decision about one store fact.
public struct FactOutcome: Sendable, Equatable {
    /// The kind of decision.
    public enum Verdict: String, Sendable {
        /// The purchase belongs to the caller and has been granted, now or before.
        case granted
        /// Nothing was granted to the caller; see `reason`.
        case skipped
    }

    /// The kind of decision: whether the caller has the grant.
    public var verdict: Verdict
    /// The reason for a skipped fact, such as `transaction-already-claimed`, `account-token-mismatch`, `family-shared`,
    /// `pending`, `refunded`, `before-cutover`, `unknown-product`, `period-end-unknown`.
    public var reason: String?
    /// A Boolean value that indicates whether the purchase had been granted before this call.
    public var duplicate: Bool
    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id, if the catalogue has the product.
    public var productID: String?
    /// The unit of the grant; `nil` for a plan without a countable grant.
    public var unit: CreditUnit?
    /// The granted amount.
    public var amount: Int64
    /// The lot that holds the grant.
    public var lotID: UUID?
}
