import Logging
import ServiceLifecycle
import Wallet

/// Posts due expiries round by round.
///
/// Any number of instances may run it; balances are right without it as well.
struct ExpirySweeper: Service {
    let wallet: Wallet
    let interval: Duration
    let logger: Logger

    private static let batch = 100

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.sweepAll()
                do {
                    try await Task.sleep(for: self.interval)
                } catch {
                    return
                }
            }
        }
    }

    /// Sweeps until nothing is due; what fails is tried again in the next round.
    private func sweepAll() async {
        do {
            while try await self.wallet.sweep(limit: Self.batch) == Self.batch, !Task.isCancelled {}
        } catch {
            self.logger.warning("sweep failed", error: error)
        }
    }
}
