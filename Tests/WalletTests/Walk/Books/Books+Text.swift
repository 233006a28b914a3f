import Foundation
import Wallet

extension Books {
    /// Returns the model's answer as text, in the format that `WalkNames` uses for the database's answer.
    func text(_ answer: ModelAnswer) -> String {
        switch answer {
        case .fact(let fact, let transactionID):
            let verdict = fact.reason == nil ? "granted" : "skipped"
            return "\(verdict) \(fact.reason ?? "-") duplicate \(fact.duplicate) \(transactionID) "
                + "\(fact.productID ?? "-") \(WalkNames.unit(fact.unit)) \(fact.amount) "
                + "\(fact.lots.first?.description ?? "no lot") of "
                + "\(fact.lots.map { "\($0): \(self[$0.wallet].lots[$0.lot].remaining)" })"
        case .receipt(let receipt):
            return "\(self.text(booking: receipt.booking)) replayed \(receipt.replayed), \(Self.text(receipt))"
        case .quote(let payment, let receipt, let key):
            return "quote \(WalkNames.unit(payment.unit)) \(payment.amount) \(Self.text(payment.slices, key)), "
                + Self.text(receipt)
        case .session(let session):
            let terms = session.terms
            return "\(terms.capacity) seats \(session.seatsLeft(in: .production, at: self.now)) left \(terms.price) "
                + "\(Date?.some(terms.startsAt).walkText) \(terms.freeMinutesBefore)"
        case .adjusted(let adjusted):
            let lot = adjusted.lot.map { LotKey(wallet: adjusted.key, lot: $0).description } ?? "no lot"
            let wallet = self[adjusted.key]
            return "adjusted \(lot) replayed \(adjusted.replayed), \(wallet.spendable(.credit, at: self.now)) credits "
                + "\(wallet.spendable(.visit, at: self.now)) visits version \(wallet.version)"
        case .said(let word): return word
        case .refused(let refusal):
            return "\(refusal.status) \(refusal.slug) \(WalkNames.members(refusal.members))"
        }
    }

    func text(booking number: Int) -> String {
        let booking = self.bookings[number]
        return "booking \(number) \(booking.new.classID) \(booking.isCancelled ? "cancelled" : "booked") "
            + "\(booking.new.seats) seats \(WalkNames.unit(booking.unit)) \(booking.amount) "
            + "\(Self.text(booking.slices, booking.key)) free until \(Date?.some(self.freeUntil(number)).walkText) "
            + "late \(booking.lateCancel) returned \(booking.returned.map { "\($0)" } ?? "-")"
    }

    static func text(_ slices: [ModelSlice], _ key: WalletKey) -> String {
        "[" + slices.map { "\(LotKey(wallet: key, lot: $0.lot)): \($0.amount)" }.joined(separator: ", ") + "]"
    }

    private static func text(_ receipt: ModelReceipt) -> String {
        "\(receipt.credits) credits \(receipt.visits) visits version \(receipt.version)"
    }
}
