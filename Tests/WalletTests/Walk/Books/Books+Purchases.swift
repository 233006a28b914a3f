import Foundation
import Wallet

extension Books {
    func purchases(of key: WalletKey) -> [String] {
        let mine = self.claims.indices.filter {
            let claim = self.claims[$0]
            return claim.owner == key.user && claim.environment == key.environment && claim.mergedInto == nil
        }
        return mine.map { number in
            let claim = self.claims[number]
            let lots = claim.lots.map { self[$0.wallet].lots[$0.lot] }
            let remaining = lots.map { $0.pays(at: self.now) ? $0.remaining : 0 }
            let status: String
            if claim.grantedAs == nil {
                status = claim.verdict
            } else if claim.share == 1_000_000 {
                status = "refunded"
            } else if zip(lots, remaining).contains(where: { $0.spent + $0.lapsed > 0 || $1 < $0.remaining }) {
                status = remaining.allSatisfy { $0 == 0 } ? "consumed" : "partly_consumed"
            } else {
                status = "granted"
            }
            let shown = zip(lots, remaining).map { "\($0.unit.rawValue) \($0.granted) \($1) \($0.refunded) \($0.owed)" }
            return "\(claim.productID ?? claim.storeProductID) \(status) \(lots.first?.granted ?? 0) "
                + "\(remaining.first ?? 0) \(shown) "
                + "\((claim.lots.flatMap(self.uses) + self.references(of: number)).sorted())"
        }
    }

    private func references(of claim: Int) -> [String] {
        self.passUses.filter { $0.key.claim == claim }
            .map { "\($0.value == self.claims[claim].owner ? $0.key.reference : "another user's reference"): 1" }
    }

    private func uses(of lot: LotKey) -> [String] {
        self.bookings.indices.compactMap { number in
            let booking = self.bookings[number]
            guard booking.key == lot.wallet, booking.returned ?? 0 == 0 else { return nil }
            return booking.slices.first { $0.lot == lot.lot }.map { "booking \(number): \($0.amount)" }
        }.sorted()
    }
}
