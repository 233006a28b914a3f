public import Logging
public import Stores
public import Wallet

/// Informs Google Play that what it sold has been delivered, or it would pay the buyer back after three days.
public struct Acknowledger: Sendable {
    private let wallet: Wallet
    private let googlePlay: GooglePlayAPI
    private let logger: Logger

    /// Makes an acknowledger.
    ///
    /// - Parameters:
    ///   - wallet: The wallet that knows what has been granted.
    ///   - googlePlay: The store to send acknowledgements to.
    ///   - logger: Logs failures.
    public init(wallet: Wallet, googlePlay: GooglePlayAPI, logger: Logger) {
        self.wallet = wallet
        self.googlePlay = googlePlay
        self.logger = logger
    }

    /// Acknowledges what was granted and is not yet acknowledged; what fails is tried again in the next round.
    ///
    /// A store that refuses our account would refuse every purchase, so the round ends there.
    ///
    /// - Parameter limit: How many purchases at most.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func work(limit: Int) async throws {
        for purchase in try await self.wallet.unacknowledged(limit: limit) {
            switch await self.acknowledge(purchase) {
            case .settled: try await self.wallet.acknowledged(purchase)
            case .failed: continue
            case .closed: return
            }
        }
    }

    /// Begins a round that nobody waits for: a buyer has what was bought, whether or not the store learns of it now.
    ///
    /// - Parameter limit: How many purchases at most.
    public func begin(limit: Int) {
        Task {
            do {
                try await self.work(limit: limit)
            } catch {
                self.logger.warning("Acknowledging waits for the next round", metadata: ["error": "\(error)"])
            }
        }
    }

    private enum Outcome {
        /// The store knows, or has taken the purchase back meanwhile: no acknowledgement is needed.
        case settled
        /// The next round tries again.
        case failed
        /// The store refuses our account.
        case closed
    }

    private func acknowledge(_ purchase: UnacknowledgedPurchase) async -> Outcome {
        do {
            if purchase.isSubscription {
                try await self.googlePlay.acknowledgeSubscription(
                    productID: purchase.subscriptionID,
                    token: purchase.purchaseToken
                )
            } else {
                try await self.googlePlay.consume(productID: purchase.storeProductID, token: purchase.purchaseToken)
            }
            return .settled
        } catch {
            self.logger.warning("A purchase could not be acknowledged", metadata: ["error": "\(error)"])
            switch error.code {
            case .rejected, .notFound: return .settled
            case .misconfigured: return .closed
            default: return .failed
            }
        }
    }
}

extension UnacknowledgedPurchase {
    /// The subscription without its base plan, as the store's addresses name it.
    fileprivate var subscriptionID: String {
        self.storeProductID.split(separator: ":").first.map(String.init) ?? self.storeProductID
    }
}
