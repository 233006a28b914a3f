/// A transaction of a store on the device, which stays in the store's queue until the app finishes it.
///
/// `StoreKitTransaction` is StoreKit's; tests make their own.
public protocol StoreTransaction: Sendable {
    /// The store's transaction id.
    var id: String { get }
    /// The transaction as the store signed it.
    var signedTransaction: String { get }
    /// Takes the transaction out of the store's queue; it is not delivered again.
    func finish() async
}
