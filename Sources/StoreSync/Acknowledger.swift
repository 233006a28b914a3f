public import Logging
public import Stores
public import Wallet

/// Acknowledges delivered purchases to Google Play, which would otherwise refund them after three days.
public struct Acknowledger: Sendable {
    private let wallet: Wallet
    private let googlePlay: GooglePlayAPI
    private let logger: Logger

    /// Creates an acknowledger.
    ///
    /// - Parameters:
    ///   - wallet: The wallet that lists unacknowledged purchases.
    ///   - googlePlay: The client that sends the acknowledgements.
    ///   - logger: Logs failures.
    public init(wallet: Wallet, googlePlay: GooglePlayAPI, logger: Logger) {
        self.wallet = wallet
        self.googlePlay = googlePlay
        self.logger = logger
    }

    /// Acknowledges granted purchases that are not acknowledged yet; a failed one is retried in the next round.
    ///
    /// If the store refuses the service account, it would refuse every purchase, so the round ends.
    ///
    /// - Parameter limit: The maximum number of purchases.
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

    /// Starts a round in a detached task; the caller does not wait, since the buyer already has the purchase.
    ///
    /// - Parameter limit: The maximum number of purchases.
    public func begin(limit: Int) {
        Task {
            do {
                try await self.work(limit: limit)
            } catch {
                self.logger.warning(
                    "Purchases could not be acknowledged; retrying in the next round",
                    metadata: ["error": "\(error)"]
                )
            }
        }
    }

    private enum Outcome {
        /// The purchase is acknowledged, or the store has already revoked it.
        case settled
        /// The acknowledgement failed; the next round retries it.
        case failed
        /// The store refuses the service account.
        case closed
    }

    private func acknowledge(_ purchase: UnacknowledgedPurchase) async -> Outcome {
        do {
            if purchase.isSubscription {
                try await self.googlePlay.acknowledgeSubscription(
                    productID: purchase.storeProductID,
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
