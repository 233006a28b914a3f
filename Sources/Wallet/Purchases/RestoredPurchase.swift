/// What became of one purchase that a user proved to possess.
public struct RestoredPurchase: Sendable, Equatable {
    /// The store's transaction id, where it has one.
    public var transactionID: String?
    /// The catalogue's product id, where the catalogue has the product.
    public var productID: String?
    /// What it granted in; nil for a plan that grants nothing countable.
    public var unit: CreditUnit?
    /// How much it had granted.
    public var amount: Int64
    /// How much of that is left.
    public var remaining: Int64
    /// How many purchases of the same former account still have something left and were not proven.
    public var unproven: Int64
    /// `restored`, `held` (it was the user's already), `granted` (now, for the first time), or why not.
    public var result: String

    /// Whether the user has it now.
    public var isHeld: Bool {
        ["restored", "held", "granted"].contains(self.result)
    }
}
