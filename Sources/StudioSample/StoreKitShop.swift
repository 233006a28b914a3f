#if canImport(StoreKit)
    public import StoreKit
    public import WalletClient

    /// A shop that sells packs in the App Store.
    public struct StoreKitShop: Sendable {
        private let wallet: any WalletProtocol

        /// Creates a shop for one user.
        /// - Parameter wallet: The user's wallet.
        public init(wallet: any WalletProtocol) {
            self.wallet = wallet
        }

        /// Buys a pack.
        /// - Parameter offer: The pack.
        /// - Returns: The transaction; nil if the user cancelled the purchase or another person must approve it first.
        /// - Throws: The errors of StoreKit and the wallet.
        @MainActor
        public func buy(_ offer: InsufficientCredits.PackOffer) async throws -> (any StoreTransaction)? {
            guard let id = offer.storeIDs.appStore, let product = try await Product.products(for: [id]).first else {
                return nil
            }
            // The account token ensures that no other user can submit the purchase.
            let token = try await self.wallet.balance().appAccountToken
            switch try await product.purchase(options: [.appAccountToken(token)]) {
            case .success(let result): return try StoreKitTransaction(result)
            case .userCancelled, .pending: return nil
            @unknown default: return nil
            }
        }
    }
#endif
