import Foundation
import Wallet

extension Books {
    /// Assigns the ids that the database chose to the lots and the booking of the last step.
    mutating func learn(_ snapshot: WalkSnapshot, _ names: inout WalkNames) {
        for line in snapshot.lines {
            guard let id = line.id, let user = line.user, let key = names.key(user, line.environment) else { continue }
            if line.what == "booking", names.bookings[id] == nil {
                let made = self.bookings.indices.last {
                    self.bookings[$0].key == key && names.bookingIDs[$0] == nil
                        && line.state.hasPrefix(self.bookings[$0].new.classID + " ")
                }
                if let made { names.name(booking: made, id) }
            }
            guard line.what == "lot", names.lots[id] == nil else { continue }
            let opened = self[key].lots.indices.first { self.isThis(self[key].lots[$0], line) }
            guard let opened else { continue }
            self[key].name(opened, id)
            names.lots[id] = LotKey(wallet: key, lot: opened)
        }
    }

    /// The lots by the ids that the database chose.
    var lotsByID: [UUID: LotKey] {
        let lots = self.wallets.flatMap { key, wallet in
            wallet.lots.enumerated().map { ($1.id, LotKey(wallet: key, lot: $0)) }
        }
        return Dictionary(uniqueKeysWithValues: lots.compactMap { id, lot in id.map { ($0, lot) } })
    }

    private func isThis(_ lot: ModelLot, _ line: WalkSnapshot.Line) -> Bool {
        guard lot.id == nil, line.state.hasPrefix("\(lot.unit.rawValue) \(lot.source) \(lot.item) ") else {
            return false
        }
        guard let claim = lot.claim, let transactionID = line.transactionID else {
            return lot.claim == nil && line.transactionID == nil
        }
        return self.claims[claim].goes(by: transactionID)
    }

    /// The model's state as text, in the format of ``WalkSnapshot``.
    var lines: [String] {
        (self.walletLines + self.bookings.indices.map(self.line(ofBooking:)) + self.seatLines).sorted()
    }

    private var walletLines: [String] {
        self.wallets.flatMap { key, wallet in
            let sums = [
                wallet.stored(.credit), wallet.stored(.visit), wallet.owed(.credit), wallet.owed(.visit),
                wallet.version,
            ]
            let lots = wallet.lots.enumerated().map { number, lot in
                let parts = [
                    lot.granted, lot.spent, lot.lapsed, lot.refunded, lot.repaid, lot.remaining, lot.owed,
                ].map { "\($0)" }
                return "lot \(LotKey(wallet: key, lot: number)): \(lot.unit.rawValue) \(lot.source) \(lot.item) "
                    + parts.joined(separator: " ") + (lot.reopenedUntil == nil ? " " : " reopened ")
                    + (lot.startsAt == nil ? "" : lot.isStartedByUse ? "started by use " : "starts ")
                    + lot.expiresAt.walkText
            }
            let until = self.blockedUntil(key).walkText
            return ["wallet \(key): " + sums.map { "\($0)" }.joined(separator: " ") + " \(until)"] + lots
        }
    }

    private func line(ofBooking number: Int) -> String {
        let booking = self.bookings[number]
        let words = [
            booking.promoted ? " promoted" : "", self.isMoved(number) ? " moved" : "",
            booking.lateCancel ? " late" : "",
        ]
        return "booking booking \(number) of \(booking.key): \(booking.new.classID) "
            + "\(booking.isCancelled ? "cancelled" : "booked") \(booking.new.seats) "
            + "\(booking.unit?.rawValue ?? "unlimited") \(booking.amount) by \(booking.cancelledBy ?? "nobody") "
            + "returned \(booking.returned.map { "\($0)" } ?? "-")\(words.joined()) told \(booking.movesTold) "
            + "\(booking.attendance ?? "unmarked") "
            + (booking.consequence.map { "fee \($0.fee) " + ($0.isStrike ? "strike " : "") } ?? "")
            + Self.text(self.freeUntil(number))
    }

    private var seatLines: [String] {
        self.classes.flatMap { id, session in
            WalletEnvironment.allCases.map { environment in
                let seats = session[environment]
                let waiting = seats.waiting.map { waiting in
                    "\(waiting.user) \(waiting.asked.seats)"
                        + (seats.held > 0 && waiting.passed == seats.round ? " passed" : "")
                }
                return "seats \(id) \(environment): \(session.isCancelled ? "cancelled" : "scheduled") "
                    + "moved \(session.moves) \(session.terms.capacity) \(seats.sold) \(seats.held) waiting "
                    + (waiting.isEmpty ? "" : waiting.joined(separator: ", ") + " ") + Self.text(session.terms.startsAt)
            }
        }
    }
}
