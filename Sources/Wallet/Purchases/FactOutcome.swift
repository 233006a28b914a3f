public import Foundation

/// What the wallet decided about one store fact.
public struct FactOutcome: Sendable, Equatable {
    /// Returns whether the caller has the grant, or why not.
    public enum Verdict: String, Sendable {
        /// The fact's purchase is the caller's and has been granted, now or before.
        case granted
        /// Nothing was granted to the caller; `reason` says why.
        case skipped
    }

    /// Whether the caller has the grant.
    public var verdict: Verdict
    /// Why it was skipped, such as `transaction-already-claimed`, `account-token-mismatch`, `family-shared`, `pending`,
    /// `refunded`, `before-cutover`, `unknown-product`, `period-end-unknown`.
    public var reason: String?
    /// Whether it had been granted before this call.
    public var duplicate: Bool
    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id, where the catalogue has the product.
    public var productID: String?
    /// What was granted; nil for a plan that grants nothing countable.
    public var unit: CreditUnit?
    /// How much was granted.
    public var amount: Int64
    /// The lot that holds the grant.
    public var lotID: UUID?
}
