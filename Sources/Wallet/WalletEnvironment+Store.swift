public import Stores

extension WalletEnvironment {
    /// Creates the environment of the wallet that receives the purchases of a store's environment.
    ///
    /// - Parameter store: The store's environment.
    public init(_ store: StoreEnvironment) {
        switch store {
        case .production: self = .production
        case .sandbox: self = .sandbox
        }
    }
}
