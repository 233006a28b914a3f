public import Stores

extension WalletEnvironment {
    /// Picks the wallet that a purchase of a store's environment belongs to.
    ///
    /// - Parameter store: The store's environment.
    public init(_ store: StoreEnvironment) {
        switch store {
        case .production: self = .production
        case .sandbox: self = .sandbox
        }
    }
}
