import Foundation
import Wallet

extension Books {
    func standing(in classID: String) -> [Int] {
        self.bookings.indices.filter { self.bookings[$0].new.classID == classID && !self.bookings[$0].isCancelled }
    }

    /// Whether a lot that expires paid for a booking.
    func isPaidForATime(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        return booking.slices.contains { self[booking.key].lots[$0.lot].expiresAt != nil }
    }

    /// Whether a lot that paid for a booking paid for another one, too, whose class was moved.
    func sharesALotWithAMoved(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        let lots = Set(booking.slices.map(\.lot))
        return self.bookings.indices.contains { other in
            let candidate = self.bookings[other]
            return other != number && candidate.key == booking.key && !candidate.isCancelled && self.isMoved(other)
                && candidate.slices.contains { lots.contains($0.lot) }
        }
    }

    /// When the next lot expires that paid for a moved booking, if that is before the class.
    var nextStrandedAt: Date? {
        self.bookings.indices.filter { !self.bookings[$0].isCancelled && self.isMoved($0) }.flatMap { number in
            let booking = self.bookings[number]
            let start = self.classes[booking.new.classID]?.terms.startsAt ?? .distantPast
            return booking.slices.compactMap { self[booking.key].lots[$0.lot].expiresAt }
                .filter { self.now < $0 && $0 < start }
        }.min()
    }

    /// Whether a lot that has expired since paid for a booking.
    func isPaidByTheOver(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        return booking.slices.contains { self[booking.key].lots[$0.lot].isOver(at: self.now) }
    }
}
