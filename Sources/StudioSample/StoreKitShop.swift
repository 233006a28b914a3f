#if canImport(StoreKit)
    public import StoreKit
    public import WalletClient

    /// Buys packs in the App Store.
    public struct StoreKitShop: Sendable {
        private let wallet: any WalletProtocol

        /// Creates a shop for one user.
        /// - Parameter wallet: the user's wallet.
        public init(wallet: any WalletProtocol) {
            self.wallet = wallet
        }

        /// Buys a pack.
        /// - Parameter offer: the pack.
        /// - Returns: the transaction; nil where the user changed their mind or somebody else must approve first.
        /// - Throws: what StoreKit or the wallet throws.
        @MainActor
        public func buy(_ offer: InsufficientCredits.PackOffer) async throws -> (any StoreTransaction)? {
            guard let id = offer.storeIDs.appStore, let product = try await Product.products(for: [id]).first else {
                return nil
            }
            // With this token nobody else can hand the purchase in.
            let token = try await self.wallet.balance().appAccountToken
            switch try await product.purchase(options: [.appAccountToken(token)]) {
            case .success(let result): return try StoreKitTransaction(result)
            case .userCancelled, .pending: return nil
            @unknown default: return nil
            }
        }
    }
#endif
