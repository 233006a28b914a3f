/// A store transaction on the device, which stays in the store's queue until the app finishes it.
///
/// `StoreKitTransaction` wraps a StoreKit transaction; tests define their own types.
public protocol StoreTransaction: Sendable {
    /// The store's transaction id.
    var id: String { get }
    /// The transaction as the store signed it.
    var signedTransaction: String { get }
    /// Removes the transaction from the store's queue, so that the store does not deliver it again.
    func finish() async
}
