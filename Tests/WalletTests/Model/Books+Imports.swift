import Foundation
import Wallet

/// The balance of a wallet in another system.
struct ModelImport: Equatable {
    var key: WalletKey
    var credits: Int64
    var visits: Int64
}

extension Books {
    /// Imports a balance from another system, once per source and wallet.
    ///
    /// Earlier activity in the wallet does not prevent it, and a repeated import adds nothing.
    mutating func importBalance(_ balance: ModelImport, from source: String) -> String {
        let name = "\(source) \(balance.key)"
        if let known = self.imports[name] { return "import: " + (known == balance ? "unchanged" : "changed") }
        let key = self.root(balance.key)
        self.lock(key)
        let isInUse = self[key].version > 0
        for (unit, amount) in [(CreditUnit.credit, balance.credits), (.visit, balance.visits)] where amount > 0 {
            let lot = ModelLot(unit: unit, source: "import", claim: nil, expiresAt: nil)
            _ = self[key].open(lot, "import", amount: amount, at: self.now)
        }
        self.imports[name] = balance
        return "import: imported" + (isInUse ? ", wallet-in-use" : "")
    }
}
