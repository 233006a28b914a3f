/// The result of restoring one purchase that a user proved to possess.
public struct RestoredPurchase: Sendable, Equatable {
    /// The store's transaction id, if there is one.
    public var transactionID: String?
    /// The catalogue's product id, if the catalogue has the product.
    public var productID: String?
    /// The unit of the grant; `nil` for a plan without a countable grant.
    public var unit: CreditUnit?
    /// The granted amount.
    public var amount: Int64
    /// The remaining amount.
    public var remaining: Int64
    /// The number of purchases of the same former account that have a remaining amount and were not proven.
    public var unproven: Int64
    /// `restored`, `held` (the purchase already belonged to the user), `granted` (now, for the first time), or the
    /// reason for a failure.
    public var result: String

    /// A Boolean value that indicates whether the purchase now belongs to the user.
    public var isHeld: Bool {
        ["restored", "held", "granted"].contains(self.result)
    }
}
