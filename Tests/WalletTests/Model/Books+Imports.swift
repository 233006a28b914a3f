import Foundation
import Wallet

/// What another system says that a wallet holds.
struct ModelImport: Equatable {
    var key: WalletKey
    var credits: Int64
    var visits: Int64
}

extension Books {
    /// Brings a balance along from another system, once for each source and wallet; live traffic before it is no
    /// hindrance, and neither does anything say it twice.
    mutating func importBalance(_ balance: ModelImport, from source: String) -> String {
        let name = "\(source) \(balance.key)"
        if let known = self.imports[name] { return "import: " + (known == balance ? "unchanged" : "changed") }
        self.lock(balance.key)
        let isInUse = self[balance.key].version > 0
        for (unit, amount) in [(CreditUnit.credit, balance.credits), (.visit, balance.visits)] where amount > 0 {
            let lot = ModelLot(unit: unit, source: "import", claim: nil, expiresAt: nil)
            _ = self[balance.key].open(lot, "import", amount: amount, at: self.now)
        }
        self.imports[name] = balance
        return "import: imported" + (isInUse ? ", wallet-in-use" : "")
    }
}
