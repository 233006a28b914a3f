import Stores
import Wallet

extension WalletEnvironment {
    /// The wallet that a store's side credits.
    init(_ environment: StoreEnvironment) {
        switch environment {
        case .production: self = .production
        case .sandbox: self = .sandbox
        }
    }
}
