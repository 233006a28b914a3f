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

extension WalletProtocol {
    /// Submits a store transaction and finishes it if the wallet's decision is final.
    ///
    /// The store delivers an unfinished transaction again at the next launch of the app; the wallet grants it once.
    /// - Parameter transaction: A transaction that the store has verified.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem`` and ``WalletClientError``. Only `transaction-already-claimed` finishes the
    ///   transaction, because the wallet has already granted it to this user or another one.
    @discardableResult
    public func submit(_ transaction: some StoreTransaction) async throws -> ReceiptResult {
        do {
            let result = try await self.submit(signedTransaction: transaction.signedTransaction)
            if result.finish.contains(transaction.id) { await transaction.finish() }
            return result
        } catch let problem as WalletProblem where problem.slug == .transactionAlreadyClaimed {
            await transaction.finish()
            throw problem
        }
    }
}
