import Foundation

extension SandboxLedger {
    /// Returns a transaction from the App Store Server API of one environment.
    /// - Parameters:
    ///   - id: The transaction.
    ///   - side: The called environment.
    /// - Returns: The transaction.
    /// - Throws: ``ServerAPIError`` for an invalid id, and for a transaction of another environment, app or store.
    func appStoreTransaction(_ id: String, on side: SandboxTransaction.Environment) throws -> SandboxTransaction {
        guard !id.isEmpty, id.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw ServerAPIError.invalidTransactionID
        }
        guard
            let transaction = self.state.transactions[id],
            transaction.store == .appStore, transaction.environment == side,
            transaction.bundleID == self.defaultBundleID
        else { throw ServerAPIError.transactionNotFound }
        return transaction
    }

    /// Returns all purchases of a transaction's buyer in the same app and environment.
    func customerHistory(_ id: String, on side: SandboxTransaction.Environment) throws -> [SandboxTransaction] {
        let known = try self.appStoreTransaction(id, on: side)
        return self.state.transactions.values.filter { $0.store == .appStore && $0.receiptKey == known.receiptKey }
    }

    /// Stores an app server's consumption report for a purchase.
    func recordConsumption(_ body: String, of id: String) throws {
        let consumption = SandboxConsumption(transactionID: id, at: self.now, body: body)
        try self.change { $0.consumptions.append(consumption) }
    }
}
