import Foundation
import Wallet

extension Books {
    /// The standing bookings that a class's cancellation or its last move has still to reach.
    func unsettled(_ classID: String) -> [Int] {
        guard let session = self.classes[classID] else { return [] }
        return self.bookings.indices.filter {
            let booking = self.bookings[$0]
            guard booking.new.classID == classID, !booking.isCancelled else { return false }
            return session.isCancelled || booking.movesTold < session.moves && booking.movesKnown < session.moves
        }
    }

    /// Rule 21: gives those who booked a cancelled class everything back, and sends the events of moved classes.
    ///
    /// A batch is of one class. Which class and whose bookings come first is not ruled: the choice is judged.
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
                self.bookings[number].movesTold = self.classes[classID]?.moves ?? 0
                self.tell("booking.moved", self.bookings[number].key)
                self.note("told of a move")
            }
        }
        return "settled \(chosen.count)"
    }

    /// Rule 7: bookings that an unlimited plan was to cover end with it.
    mutating func endUnlimited() {
        for number in self.bookings.indices {
            guard self.isUncovered(number) else { continue }
            self.end(number, by: "wallet", returns: true)
        }
    }

    /// Whether an unlimited plan was to cover a booking and is over before its class.
    func isUncovered(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        guard
            !booking.isCancelled, booking.unit == nil, let session = self.classes[booking.new.classID],
            session.terms.startsAt > self.now
        else { return false }
        return !self.isUnlimited(booking.key) && !self.awaitsRenewal(booking.key)
    }

    /// Whether a booking's class was moved since it was made.
    func isMoved(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        if let moved = booking.movedWhenCancelled { return moved }
        return booking.movesKnown < self.classes[booking.new.classID]?.moves ?? 0
    }

    /// Until when a booking is free to cancel: a moved one until the start.
    func freeUntil(_ number: Int) -> Date {
        let booking = self.bookings[number]
        guard self.isMoved(number), !booking.isCancelled, let session = self.classes[booking.new.classID] else {
            return booking.freeUntil
        }
        return session.terms.startsAt
    }

    /// Ends a booking: its seats come free, and what returns goes back into its lots.
    ///
    /// What the studio caused returns in full, also to a visit that expired meanwhile, once a lot; anyone who ends a
    /// booking of a class that the studio cancelled, it is the studio's doing.
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
        self.bookings[number].lateCancel = !returns
        self.bookings[number].returned = returns ? booking.amount : 0
        if returns { self.putBack(number, reopens: whom == "studio" || moved) }
        self.note("cancelled by \(whom)" + (moved ? " after a move" : ""))
        self.classes[booking.new.classID]?.free(booking.new.seats, in: booking.key.environment, at: self.now)
    }

    private mutating func putBack(_ number: Int, reopens: Bool) {
        let booking = self.bookings[number]
        let lots = booking.slices.map { LotKey(wallet: booking.key, lot: $0.lot) }
        let ends = reopens ? lots.map(self.endOfGrace) : nil
        for lot in lots.map({ self[$0.wallet].lots[$0.lot] }) where reopens && lot.isOver(at: self.now) {
            self.note(lot.reopenedUntil == nil ? "reopened" : "reopened only once")
        }
        self[booking.key].putBack(booking.slices, booking: number, at: self.now, reopenedUntil: ends)
    }

    /// Until when a lot that opens now lives on.
    private func endOfGrace(_ lot: LotKey) -> Date {
        let claim = self[lot.wallet].lots[lot.lot].claim.map { self.claims[$0] }
        let days = claim?.graceDays ?? 7
        return self.now.addingTimeInterval(Double(days) * 86_400)
    }
}
