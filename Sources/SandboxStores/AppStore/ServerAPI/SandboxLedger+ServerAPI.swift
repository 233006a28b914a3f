import Foundation

extension SandboxLedger {
    /// A transaction as the App Store Server API of one side knows it.
    /// - Parameters:
    ///   - id: the transaction.
    ///   - side: the side that was called.
    /// - Returns: the transaction.
    /// - Throws: ``ServerAPIError`` for an id that is none, and for a transaction of another side, app or store.
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

    /// Everything that the buyer of a transaction bought in the same app on the same side.
    func customerHistory(_ id: String, on side: SandboxTransaction.Environment) throws -> [SandboxTransaction] {
        let known = try self.appStoreTransaction(id, on: side)
        return self.state.transactions.values.filter { $0.store == .appStore && $0.receiptKey == known.receiptKey }
    }

    /// Keeps what an app server reported of a purchase's consumption.
    func recordConsumption(_ body: String, of id: String) throws {
        let consumption = SandboxConsumption(transactionID: id, at: self.now, body: body)
        try self.change { $0.consumptions.append(consumption) }
    }
}
