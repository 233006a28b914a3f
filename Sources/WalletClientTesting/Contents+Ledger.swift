import Foundation
import WalletClient

extension InMemoryWallet.Contents {
    /// Changes the credits and adds an entry to the ledger.
    mutating func post(_ kind: LedgerEntryKind, _ amount: Int64, booking: UUID? = nil, transaction: String? = nil) {
        self.balance.credits += amount
        self.balance.version += 1
        self.balance.asOf = Date()
        self.entries.insert(
            LedgerEntry(
                version: self.balance.version,
                at: self.balance.asOf,
                kind: kind,
                unit: .credit,
                amount: amount,
                balanceAfter: self.balance.credits,
                bookingID: booking,
                transactionID: transaction,
                hash: String(repeating: "0", count: 64)
            ),
            at: 0
        )
    }
}
