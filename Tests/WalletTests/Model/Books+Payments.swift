import Foundation
import Wallet

extension Books {
    /// Decides whether and how a booking is paid; returns the first reason against it.
    func plan(_ new: BookingRequest, _ key: WalletKey, promoted: Bool = false) -> Result<ModelPayment, ModelRefusal> {
        guard let session = self.classes[new.classID] else {
            return .failure(ModelRefusal(status: 404, slug: "class-not-found"))
        }
        if session.isClosed(at: self.now) { return .failure(ModelRefusal(status: 409, slug: "class-closed")) }
        if let refusal = self.refusalOfBlocked(key) { return .failure(refusal) }
        if let refusal = self.refusalOfSecondBooking(new.classID, key) { return .failure(refusal) }
        if let refusal = self.limit(against: new, key, session) { return .failure(refusal) }
        let seatsLeft =
            promoted
            ? session.freeSeats(in: key.environment) : session.seatsLeft(in: key.environment, at: self.now)
        if seatsLeft < new.seats {
            let members = ["seats_left": "\(seatsLeft)", "seats_requested": "\(new.seats)"]
            return .failure(ModelRefusal(status: 409, slug: "class-full", members: members))
        }
        return self.payment(new, key, session.terms).flatMap { payment in
            guard let most = new.maxAmount, payment.amount > most else { return .success(payment) }
            let members = ["amount": "\(payment.amount)", "max_amount": "\(most)"]
            return .failure(ModelRefusal(status: 409, slug: "price-changed", members: members))
        }
    }

    /// Refuses a second active booking of one user in a class (rule 19).
    func refusalOfSecondBooking(_ classID: String, _ key: WalletKey) -> ModelRefusal? {
        self.standing(classID, key).map {
            ModelRefusal(status: 409, slug: "already-booked", members: ["booking_id": "booking \($0)"])
        }
    }

    func standing(_ classID: String, _ key: WalletKey) -> Int? {
        self.bookings.firstIndex { $0.key == key && $0.new.classID == classID && !$0.isCancelled }
    }

    /// Chooses the payment (rule 7): unlimited (for one seat only), then visits, then credits, unless the request names
    /// one.
    private func payment(
        _ new: BookingRequest,
        _ key: WalletKey,
        _ terms: ModelTerms
    ) -> Result<ModelPayment, ModelRefusal> {
        var units: [CreditUnit] = [.visit, .credit]
        var only: Int?
        switch new.payWith {
        case nil, "unlimited":
            if new.seats == 1, self.isUnlimited(key, startsAt: terms.startsAt) { return .success(ModelPayment()) }
            if new.payWith != nil { units = [] }
        case "visits": units = [.visit]
        case "credits": units = [.credit]
        case let other:
            let named = self[key].lots.firstIndex { $0.id?.uuidString == other?.uppercased() }
            only = named
            units = named.map { [self[key].lots[$0].unit] } ?? []
        }
        var shortages: [ModelShortage] = []
        for unit in units {
            guard let price = unit == .visit ? terms.price.visits : terms.price.credits else { continue }
            let amount = price * Int64(new.seats)
            let (slices, available) = self[key]
                .burn(amount, of: unit, only: only, validAt: terms.startsAt, at: self.now)
            if available == amount { return .success(ModelPayment(unit: unit, amount: amount, slices: slices)) }
            shortages.append(ModelShortage(unit: unit, required: amount, available: available))
        }
        guard let refusal = ModelShortage.refusal(shortages) else {
            let members = ["pay_with": new.payWith ?? "null"]
            return .failure(ModelRefusal(status: 409, slug: "payment-not-accepted", members: members))
        }
        return .failure(refusal)
    }
}

/// The amount of one unit that a wallet lacks.
struct ModelShortage {
    let unit: CreditUnit
    let required: Int64
    let available: Int64

    /// Creates the refusal: the last unit that was tried fills the top-level members, and `shortages` lists all units.
    static func refusal(_ shortages: [ModelShortage]) -> ModelRefusal? {
        shortages.last.map { told in
            let members = [
                "unit": told.unit.rawValue, "credits_required": "\(told.required)",
                "credits_available": "\(told.available)", "credits_needed": "\(told.required - told.available)",
                "shortages": "[\(shortages.map(\.text).joined(separator: ", "))]",
            ]
            return ModelRefusal(status: 402, slug: "insufficient-credits", members: members)
        }
    }

    private var text: String {
        "available=\(self.available) needed=\(self.required - self.available) required=\(self.required) "
            + "unit=\(self.unit.rawValue)"
    }
}
