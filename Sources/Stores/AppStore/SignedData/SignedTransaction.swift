/// A transaction that the App Store signed, of one of our apps.
public struct SignedTransaction: Hashable, Sendable {
    /// What the store says.
    public let payload: JWSTransactionDecodedPayload
    /// The side of the store; sandbox for what a further root signed.
    public let environment: StoreEnvironment
}
