import Foundation
import Wallet

/// A booking; slices and returned amounts are those of the ledger.
struct ModelBooking {
    var key: WalletKey
    let new: BookingRequest
    var idempotencyKey: String
    let unit: CreditUnit?
    let amount: Int64
    var slices: [ModelSlice]
    /// The free-cancellation deadline from the policy at the time of booking.
    var freeUntil: Date
    let promoted: Bool
    /// The number of times the class had been moved when it was booked.
    let movesKnown: Int
    /// The number of the last move for which an event was sent.
    var movesTold: Int
    var cancelledBy: String?
    var movedWhenCancelled: Bool?
    var lateCancel = false
    var returned: Int64?
    /// The terms of the class's policy at the time of booking.
    let policy: ModelPolicy?
    var attendance: String?
    var consequence: ModelConsequence?

    var isCancelled: Bool { self.cancelledBy != nil }
}

/// The response to a booking or cancellation.
struct ModelReceipt {
    var booking: Int
    var replayed: Bool
    var credits: Int64
    var visits: Int64
    var version: Int64
}

/// The payment of a booking.
struct ModelPayment {
    var unit: CreditUnit?
    var amount: Int64 = 0
    var slices: [ModelSlice] = []
}

extension Books {
    /// Books a class (rules 18 to 20).
    mutating func book(
        _ new: BookingRequest,
        _ key: WalletKey,
        idempotencyKey: String
    ) -> Result<ModelReceipt, ModelRefusal> {
        self.lock(key)
        if let known = self.bookings.firstIndex(where: { $0.key == key && $0.idempotencyKey == idempotencyKey }) {
            guard self.bookings[known].new == new else {
                return .failure(ModelRefusal(status: 422, slug: "idempotency-key-reused"))
            }
            return .success(self.receipt(known, replayed: true))
        }
        switch self.plan(new, key) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let payment): return .success(self.book(new, key, idempotencyKey, payment))
        }
    }

    /// Books with a payment that was already checked; a nil key means a promotion from the waitlist.
    mutating func book(
        _ new: BookingRequest,
        _ key: WalletKey,
        _ idempotencyKey: String?,
        _ payment: ModelPayment
    ) -> ModelReceipt {
        let number = self.bookings.count
        let session = self.classes[new.classID]
        let policy = session?.terms.freeUntil ?? .distantPast
        let halfAnHour = min(self.now.addingTimeInterval(1_800), session?.terms.startsAt ?? .distantPast)
        if payment.unit == nil {
            let balance = self[key].stored(.credit)
            self[key].post(
                ModelEntry(kind: "spend", unit: nil, amount: 0, owedChange: 0, balanceAfter: balance, booking: number)
            )
        }
        self[key].spend(payment.slices, "spend", booking: number, at: self.now)
        self.bookings.append(
            ModelBooking(
                key: key,
                new: new,
                idempotencyKey: idempotencyKey ?? "promotion \(number)",
                unit: payment.unit,
                amount: payment.amount,
                slices: payment.slices,
                freeUntil: idempotencyKey == nil ? max(policy, halfAnHour) : policy,
                promoted: idempotencyKey == nil,
                movesKnown: session?.moves ?? 0,
                movesTold: session?.moves ?? 0,
                policy: session?.policy
            )
        )
        self.classes[new.classID]?.sell(
            new.seats,
            to: key.user,
            in: key.environment,
            promoted: idempotencyKey == nil
        )
        return self.receipt(number, replayed: false)
    }

    /// Returns the quote of a dry run (rule 18): it makes the booking on a copy, so the arithmetic is the same.
    func quote(_ new: BookingRequest, _ key: WalletKey) -> Result<(ModelPayment, ModelReceipt), ModelRefusal> {
        var copy = self
        return copy.book(new, key, idempotencyKey: "a key that nobody used").map { receipt in
            let booking = copy.bookings[receipt.booking]
            return (ModelPayment(unit: booking.unit, amount: booking.amount, slices: booking.slices), receipt)
        }
    }

    /// Cancels a booking (rule 21).
    mutating func cancel(_ number: Int?, _ key: WalletKey) -> Result<ModelReceipt, ModelRefusal> {
        self.lock(key)
        guard let number, self.bookings[number].key == key else {
            return .failure(ModelRefusal(status: 404, slug: "booking-not-found"))
        }
        let booking = self.bookings[number]
        if booking.isCancelled { return .success(self.receipt(number, replayed: true)) }
        let session = self.classes[booking.new.classID]
        let isMarked = booking.attendance != nil && !self.awaitsMove(number)
        if let session, session.terms.startsAt <= self.now || isMarked, !session.isCancelled {
            return .failure(ModelRefusal(status: 409, slug: "not-cancellable"))
        }
        self.end(number, by: "user", returns: self.now <= self.freeUntil(number))
        return .success(self.receipt(number, replayed: false))
    }

    private func receipt(_ booking: Int, replayed: Bool) -> ModelReceipt {
        let wallet = self[self.bookings[booking].key]
        return ModelReceipt(
            booking: booking,
            replayed: replayed,
            credits: wallet.stored(.credit),
            visits: wallet.stored(.visit),
            version: wallet.version
        )
    }
}
