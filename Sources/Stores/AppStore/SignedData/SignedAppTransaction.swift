/// An app transaction of an accepted app, signed by the App Store.
public struct SignedAppTransaction: Hashable, Sendable {
    /// The content of the app transaction.
    public let payload: AppTransaction
    /// The environment of the store.
    public let environment: StoreEnvironment
}
