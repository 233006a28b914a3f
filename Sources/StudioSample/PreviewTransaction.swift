import Foundation
public import WalletClient
import WalletClientTesting

/// A purchase that completes at once and costs nothing, for previews and tests with `InMemoryWallet`.
public struct PreviewTransaction: StoreTransaction {
    /// The store's transaction id.
    public let id: String
    /// The transaction as the store signed it.
    public let signedTransaction: String
    private let finished: @Sendable () async -> Void

    /// Creates the transaction of a purchase.
    /// - Parameters:
    ///   - productID: The product id of the pack.
    ///   - finished: A closure that is called when the app finishes the transaction.
    public init(productID: String, finished: @escaping @Sendable () async -> Void = {}) {
        self.id = UUID().uuidString
        self.signedTransaction = InMemoryWallet.signedTransaction(of: productID, id: self.id)
        self.finished = finished
    }

    /// Removes the transaction from the queue.
    public func finish() async {
        await self.finished()
    }
}
