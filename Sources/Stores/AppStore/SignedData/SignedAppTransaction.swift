/// An app transaction that the App Store signed, of one of our apps.
public struct SignedAppTransaction: Hashable, Sendable {
    /// What the store says.
    public let payload: AppTransaction
    /// The side of the store.
    public let environment: StoreEnvironment
}
