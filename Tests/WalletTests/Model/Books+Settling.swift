import Foundation
import Wallet

extension Books {
    /// The active bookings that the class's cancellation or last move has not yet reached.
    func unsettled(_ classID: String) -> [Int] {
        guard let session = self.classes[classID] else { return [] }
        return self.bookings.indices.filter {
            let booking = self.bookings[$0]
            guard booking.new.classID == classID, !booking.isCancelled else { return false }
            return session.isCancelled || self.awaitsMove($0)
        }
    }

    /// A Boolean value that indicates whether the class's last move has not reached a booking yet.
    func awaitsMove(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        return max(booking.movesTold, booking.movesKnown) < self.classes[booking.new.classID]?.moves ?? 0
    }

    /// Applies the class's last move to a booking, unless that was done before: its user is notified, and a mark, which
    /// was for the old start, is removed.
    mutating func applyMove(_ number: Int) {
        guard self.awaitsMove(number) else { return }
        let booking = self.bookings[number]
        self.bookings[number].movesTold = self.classes[booking.new.classID]?.moves ?? 0
        if booking.attendance != nil { self.note("unmarked by a move") }
        self.mark(number, nil)
        self.tell("booking.moved", booking.key)
        self.note("told of a move")
    }

    /// Returns the full price of bookings of a cancelled class, and sends the events of a moved class (rule 21).
    ///
    /// A batch covers one class. The rules do not fix which class and which bookings come first, so the model only
    /// checks the database's choice.
    mutating func settle(_ chosen: [Int], limit: Int) -> String {
        guard let first = chosen.first else {
            let left = self.classes.keys.filter { !self.unsettled($0).isEmpty }.sorted()
            return left.isEmpty ? "settled 0" : "settled nothing, but left \(left)"
        }
        let classID = self.bookings[first].new.classID
        let left = self.unsettled(classID)
        guard Set(left).isSuperset(of: chosen), chosen.count == min(limit, left.count) else {
            return "settled \(chosen) of \(left) of \(classID)"
        }
        for number in chosen.sorted() {
            self.lock(self.bookings[number].key)
            if self.classes[classID]?.isCancelled == true {
                self.end(number, by: "studio", returns: true)
            } else {
                self.applyMove(number)
            }
        }
        return "settled \(chosen.count)"
    }

    /// Ends the bookings that an unlimited plan should have covered, after the plan ended (rule 7).
    mutating func endUnlimited() {
        for number in self.bookings.indices {
            guard self.isUncovered(number) else { continue }
            self.end(number, by: "wallet", returns: true)
        }
    }

    /// A Boolean value that indicates whether a booking's unlimited plan ended before its class.
    func isUncovered(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        guard
            !booking.isCancelled, booking.unit == nil, let session = self.classes[booking.new.classID],
            session.terms.startsAt > self.now
        else { return false }
        return !self.isUnlimited(booking.key) && !self.awaitsRenewal(booking.key)
    }

    /// A Boolean value that indicates whether a booking's class was moved after the booking.
    func isMoved(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        if let moved = booking.movedWhenCancelled { return moved }
        return booking.movesKnown < self.classes[booking.new.classID]?.moves ?? 0
    }

    /// Returns the end of free cancellation; for a moved class this is the start of the class.
    func freeUntil(_ number: Int) -> Date {
        let booking = self.bookings[number]
        guard self.isMoved(number), !booking.isCancelled, let session = self.classes[booking.new.classID] else {
            return booking.freeUntil
        }
        return session.terms.startsAt
    }

    /// Ends a booking: frees its seats and returns the refundable amount to its lots.
    ///
    /// A cancellation that the studio caused returns everything, even to a visit that has expired since, once per lot.
    /// If the studio cancelled the class, the booking counts as cancelled by the studio, even if the user cancels it.
    mutating func end(_ number: Int, by asked: String, returns isFree: Bool) {
        let booking = self.bookings[number]
        let moved = self.isMoved(number)
        let session = self.classes[booking.new.classID]
        let whom = session?.isCancelled == true ? "studio" : asked
        let returns = isFree || whom == "studio"
        self.bookings[number].movesTold = session?.moves ?? 0
        self.bookings[number].freeUntil = self.freeUntil(number)
        self.bookings[number].cancelledBy = whom
        self.bookings[number].movedWhenCancelled = moved
        // Only a user cancels late; the wallet takes a booking of a class that has begun.
        self.bookings[number].lateCancel = !returns && whom == "user"
        self.bookings[number].returned = returns ? booking.amount : 0
        if returns { self.putBack(number, reopens: whom == "studio" || moved) }
        if self.bookings[number].lateCancel {
            self.punish(number, fee: booking.policy?.lateFee, isStrike: booking.policy?.lateStrike, at: self.now)
        } else if whom != "user" || self.now < session?.terms.startsAt ?? .distantPast {
            if booking.attendance != nil { self.note("cancelled after a mark") }
            self.mark(number, nil)
        }
        self.note("cancelled by \(whom)" + (moved ? " after a move" : ""))
        self.classes[booking.new.classID]?.free(booking.new.seats, in: booking.key.environment, at: self.now)
    }

    mutating func putBack(_ number: Int, reopens: Bool) {
        let booking = self.bookings[number]
        let lots = booking.slices.map { LotKey(wallet: booking.key, lot: $0.lot) }
        let ends = reopens ? lots.map(self.endOfGrace) : nil
        for lot in lots.map({ self[$0.wallet].lots[$0.lot] }) where reopens && lot.isOver(at: self.now) {
            self.note(lot.reopenedUntil == nil ? "reopened" : "reopened only once")
        }
        self[booking.key].putBack(booking.slices, booking: number, at: self.now, reopenedUntil: ends)
    }

    /// Returns the end of a lot that is reopened now.
    private func endOfGrace(_ lot: LotKey) -> Date {
        let claim = self[lot.wallet].lots[lot.lot].claim.map { self.claims[$0] }
        let days = claim?.graceDays ?? 7
        return self.now.addingTimeInterval(Double(days) * 86_400)
    }
}
