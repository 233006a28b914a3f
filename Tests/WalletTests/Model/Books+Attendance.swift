import Foundation
import Wallet

/// The terms of a policy (rule 36): what a late cancellation and a no-show cost in addition to the price.
struct ModelPolicy: Equatable {
    var freeMinutesBefore: Int
    var lateFee: Int64 = 0
    var lateStrike = false
    var noShowFee: Int64 = 0
    var noShowStrike = false
    /// The number of strikes without a block; nil if strikes never block.
    var strikesAllowed: Int?
    var strikeDays = 1
    var blockDays = 1
}

/// A late cancellation or a no-show that counts: it was not withdrawn.
struct ModelConsequence {
    let at: Date
    let fee: Int64
    let isStrike: Bool
    let policy: ModelPolicy
    /// The lots that paid the fee; the last one is the fee's own debt if the others were not enough.
    var slices: [ModelSlice]
}

extension Books {
    /// Creates or changes a policy; classes that have not begun get the new terms, but existing bookings keep theirs.
    mutating func putPolicy(_ id: String, _ policy: ModelPolicy) -> String {
        if self.policies[id] == policy { return "policy unchanged" }
        self.policies[id] = policy
        for (classID, session) in self.classes where session.terms.policyID == id && session.terms.startsAt > self.now {
            self.classes[classID]?.policy = policy
            self.classes[classID]?.terms.freeMinutesBefore = policy.freeMinutesBefore
        }
        return "policy changed"
    }

    /// Marks bookings of a class, all or none, from an hour before its start (rule 37).
    mutating func mark(
        _ numbers: [Int],
        of classID: String,
        _ attendance: String,
        in environment: WalletEnvironment
    ) -> Result<String, ModelRefusal> {
        guard let session = self.classes[classID] else {
            return .failure(ModelRefusal(status: 404, slug: "class-not-found"))
        }
        func refused(_ status: Int, _ slug: String, _ number: Int) -> Result<String, ModelRefusal> {
            .failure(ModelRefusal(status: status, slug: slug, members: ["booking_id": "booking \(number)"]))
        }
        let stranger = numbers.first {
            self.bookings[$0].new.classID != classID || self.bookings[$0].key.environment != environment
        }
        if let stranger { return refused(404, "booking-not-found", stranger) }
        if let ended = numbers.first(where: { self.bookings[$0].isCancelled || session.isCancelled }) {
            return refused(409, "booking-cancelled", ended)
        }
        let opening = session.terms.before(60)
        if self.now < opening {
            let members = ["opens_at": Date?.some(opening).walkText]
            return .failure(ModelRefusal(status: 409, slug: "attendance-not-open", members: members))
        }
        for number in numbers {
            self.lock(self.bookings[number].key)
            self.applyMove(number)
        }
        let mark = attendance == "unmarked" ? nil : attendance
        let changes = numbers.filter { self.bookings[$0].attendance != mark }
        for number in changes { self.mark(number, mark) }
        return .success(changes.isEmpty ? "marked already" : "marked \(attendance)")
    }

    /// Checks a member in: only an unmarked booking, from an hour before the start until the end of the class.
    mutating func checkIn(_ number: Int?, _ key: WalletKey) -> Result<String, ModelRefusal> {
        guard let number, self.bookings[number].key == key else {
            return .failure(ModelRefusal(status: 404, slug: "booking-not-found"))
        }
        let booking = self.bookings[number]
        guard let session = self.classes[booking.new.classID], !session.isCancelled, !booking.isCancelled else {
            return .failure(ModelRefusal(status: 409, slug: "booking-cancelled"))
        }
        let attendance = self.awaitsMove(number) ? nil : booking.attendance
        if attendance == "attended" {
            self.lock(key)
            return .success("checked in")
        }
        if let attendance {
            return .failure(ModelRefusal(status: 409, slug: "already-marked", members: ["attendance": attendance]))
        }
        let opening = session.terms.before(60)
        if self.now < opening {
            let members = ["opens_at": Date?.some(opening).walkText]
            return .failure(ModelRefusal(status: 409, slug: "check-in-not-open", members: members))
        }
        if self.now >= session.terms.endsAt {
            let members = ["closed_at": Date?.some(session.terms.endsAt).walkText]
            return .failure(ModelRefusal(status: 409, slug: "check-in-closed", members: members))
        }
        self.lock(key)
        self.applyMove(number)
        self.mark(number, "attended")
        self.note("checked in")
        return .success("checked in")
    }

    /// Waives a late cancellation, once: its price and its fee return, and its strike is withdrawn.
    mutating func waive(_ number: Int) -> ModelRefusal? {
        let booking = self.bookings[number]
        let isOpen = booking.returned ?? 0 < booking.amount || booking.consequence != nil
        guard booking.lateCancel, isOpen else { return ModelRefusal(status: 409, slug: "nothing-to-waive") }
        self.lock(booking.key)
        self.bookings[number].returned = booking.amount
        self.putBack(number, reopens: true)
        self.withdraw(number)
        self.note(booking.consequence == nil ? "waived a price" : "waived a consequence")
        return nil
    }

    /// Marks one booking, and replaces the consequence of its earlier mark.
    mutating func mark(_ number: Int, _ attendance: String?) {
        guard self.bookings[number].attendance != attendance else { return }
        let key = self.bookings[number].key
        self.withdraw(number)
        self.bookings[number].attendance = attendance
        if attendance == "no_show", let start = self.classes[self.bookings[number].new.classID]?.terms.startsAt {
            let policy = self.bookings[number].policy
            self.punish(number, fee: policy?.noShowFee, isStrike: policy?.noShowStrike, at: start)
        }
        self.tell("booking.\(attendance ?? "unmarked")", key)
    }

    /// Applies the consequence of a late cancellation or a no-show: a fee in burn order, owed if the wallet is empty, and
    /// a strike.
    mutating func punish(_ number: Int, fee: Int64?, isStrike: Bool?, at instant: Date) {
        guard let policy = self.bookings[number].policy, let fee, let isStrike, fee > 0 || isStrike else { return }
        let key = self.bookings[number].key
        let slices = self[key].charge(fee, booking: number, at: self.now)
        self.note(fee > 0 ? "charged a fee" : "gave a strike")
        if slices.last.map({ self[key].lots[$0.lot].source == "fee" }) ?? false { self.note("owes a fee") }
        self.changingBlock(of: key) { books in
            books.bookings[number].consequence = ModelConsequence(
                at: instant,
                fee: fee,
                isStrike: isStrike,
                policy: policy,
                slices: slices
            )
        }
    }

    /// Withdraws the consequence of a booking: the fee returns to the lots that paid it, and the strike no longer counts.
    mutating func withdraw(_ number: Int) {
        let booking = self.bookings[number]
        guard let consequence = booking.consequence else { return }
        for slice in consequence.slices {
            let change = LotChange(spent: -slice.amount)
            self[booking.key].change(slice.lot, "fee_return", change, booking: number, at: self.now)
            self[booking.key].lapse(slice.lot, booking: number, at: self.now)
        }
        self.changingBlock(of: booking.key) { $0.bookings[number].consequence = nil }
        self.note("withdrew a consequence")
    }

    /// Returns until when strikes block a wallet, also if that has passed (rule 36).
    func blockedUntil(_ key: WalletKey) -> Date? {
        let strikes = self.bookings.filter { $0.key == key }.compactMap(\.consequence).filter(\.isStrike)
        return strikes.compactMap { strike -> Date? in
            guard let allowed = strike.policy.strikesAllowed else { return nil }
            let since = strike.at.addingTimeInterval(Double(-strike.policy.strikeDays) * 86_400)
            guard strikes.count(where: { since < $0.at && $0.at <= strike.at }) > allowed else { return nil }
            return strike.at.addingTimeInterval(Double(strike.policy.blockDays) * 86_400)
        }.max()
    }

    /// Refuses a member whom strikes block.
    func refusalOfBlocked(_ key: WalletKey) -> ModelRefusal? {
        guard let until = self.blockedUntil(key), until > self.now else { return nil }
        let members = ["blocked_until": Date?.some(until).walkText.replacing(" and some moments", with: "")]
        return ModelRefusal(status: 403, slug: "booking-blocked", members: members)
    }

    /// Makes a change, and sends the event of a block that the change begins, changes or lifts.
    mutating func changingBlock(of key: WalletKey, _ change: (inout Books) -> Void) {
        let before = self.blockedUntil(key)
        change(&self)
        let after = self.blockedUntil(key)
        guard after != before else { return }
        if let after, after > self.now {
            self.tell("user.booking_blocked", key)
        } else if let before, before > self.now {
            self.tell("user.booking_unblocked", key)
        }
    }
}

extension ModelWallet {
    /// Charges a fee in burn order, and returns the lots that paid; the missing rest becomes a debt of its own.
    mutating func charge(_ fee: Int64, booking: Int, at now: Date) -> [ModelSlice] {
        guard fee > 0 else { return [] }
        var (slices, available) = self.burn(fee, of: .credit, validAt: now, at: now)
        self.spend(slices, "fee", booking: booking, at: now)
        let missing = fee - available
        guard missing > 0 else { return slices }
        let lot = self.add(ModelLot(unit: .credit, source: "fee", claim: nil))
        let change = LotChange(granted: missing, spent: missing, refunded: missing)
        self.change(lot, "fee", change, booking: booking, at: now)
        slices.append(ModelSlice(lot: lot, amount: missing))
        return slices
    }
}
