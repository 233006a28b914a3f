import Foundation
import TestSupport
import Wallet

extension Crowd {
    func studio(_ act: CrowdPlan.Act) async throws {
        let wallet = self.wallet
        switch act {
        case .join(let id, let user):
            do {
                let receipt = try await wallet.joinWaitlist(
                    WaitlistRequest(),
                    of: id,
                    for: self.users[user],
                    in: .production
                )
                if receipt.isNew { self.note { $0.joins["\(user) \(id)", default: 0] += 1 } }
            } catch let error as WalletError where error.slug == "already-booked" {
                // A seat may have been freed meanwhile, so the user joined, was promoted, and the error is about the
                // booking.
                self.note { $0.joins["\(user) \(id)", default: 0] += 1 }
                throw error
            }
        case .leave(let id, let user):
            try await wallet.leaveWaitlist(of: id, for: self.users[user], in: .production)
        case .consume(let transactionID, let reference, let user):
            let use = try await wallet.consumePass(
                transactionID,
                reference: reference,
                for: self.users[user],
                in: .production
            )
            guard !use.replayed else { return }
            self.note { $0.consumed["\(transactionID) \(reference)", default: 0] += 1 }
            self.add(-1, .visit, to: user)
        case .cancelClass(let id, let key):
            _ = try await wallet.cancelClass(id, reason: "ill", by: .clerk, key: key, in: .production)
        default: break
        }
    }

    /// Runs a worker's duties repeatedly: promotions, settling and the classes of series.
    func work(rounds: Int) async throws {
        for _ in 0..<rounds { try await self.refusable { _ = try await self.work() } }
    }

    /// Runs a worker until no work is left.
    func workToTheEnd() async throws {
        while try await self.work() {}
    }

    /// Runs all duties once.
    ///
    /// Returns true if there was any work.
    private func work() async throws -> Bool {
        let wallet = self.wallet
        let settled = try await wallet.settleClasses(limit: 2)
        self.note { $0.settled += settled }
        let created = try await wallet.extendSeries(limit: 1)
        let classes = try await wallet.classesToPromote(limit: 10)
        for seats in classes {
            let promotion = try await wallet.promoteNext(seats)
            self.note { $0.promotions[promotion, default: 0] += 1 }
        }
        return settled > 0 || created > 0 || !classes.isEmpty
    }
}
