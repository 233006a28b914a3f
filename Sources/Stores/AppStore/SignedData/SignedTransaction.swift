/// A transaction of an accepted app, signed by the App Store.
public struct SignedTransaction: Hashable, Sendable {
    /// The content of the transaction.
    public let payload: JWSTransactionDecodedPayload
    /// The environment of the store; sandbox if an extra root signed the transaction.
    public let environment: StoreEnvironment
}
