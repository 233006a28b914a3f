public import Logging
public import Stores
public import Wallet

/// Tells Google Play that what it sold has been delivered, or it would pay the buyer back after three days.
public struct Acknowledger: Sendable {
    private let wallet: Wallet
    private let googlePlay: GooglePlayAPI
    private let logger: Logger

    /// Makes an acknowledger.
    ///
    /// - Parameters:
    ///   - wallet: The wallet that knows what has been granted.
    ///   - googlePlay: The store to tell.
    ///   - logger: Hears of failures.
    public init(wallet: Wallet, googlePlay: GooglePlayAPI, logger: Logger) {
        self.wallet = wallet
        self.googlePlay = googlePlay
        self.logger = logger
    }

    /// Acknowledges what was granted and is not yet acknowledged; what fails is tried again in the next round.
    ///
    /// - Parameter limit: How many purchases at most.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func work(limit: Int) async throws {
        for purchase in try await self.wallet.unacknowledged(limit: limit) {
            if await self.tell(of: purchase) { try await self.wallet.acknowledged(purchase) }
        }
    }

    /// Tells the store; a purchase that it has taken back meanwhile needs no more telling.
    private func tell(of purchase: UnacknowledgedPurchase) async -> Bool {
        do {
            if purchase.isSubscription {
                try await self.googlePlay.acknowledgeSubscription(
                    productID: purchase.subscriptionID,
                    token: purchase.purchaseToken
                )
            } else {
                try await self.googlePlay.consume(productID: purchase.storeProductID, token: purchase.purchaseToken)
            }
            return true
        } catch {
            self.logger.warning("A purchase could not be acknowledged", metadata: ["error": "\(error)"])
            return error.code == .rejected || error.code == .notFound
        }
    }
}

extension UnacknowledgedPurchase {
    /// The subscription without its base plan, as the store's addresses name it.
    fileprivate var subscriptionID: String {
        self.storeProductID.split(separator: ":").first.map(String.init) ?? self.storeProductID
    }
}
