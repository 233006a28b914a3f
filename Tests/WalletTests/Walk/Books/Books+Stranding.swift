import Foundation
import Wallet

extension Books {
    func standing(in classID: String) -> [Int] {
        self.bookings.indices.filter { self.bookings[$0].new.classID == classID && !self.bookings[$0].isCancelled }
    }

    /// A Boolean value that indicates whether a lot with an expiry paid for the booking.
    func isPaidForATime(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        return booking.slices.contains { self[booking.key].lots[$0.lot].expiresAt != nil }
    }

    /// A Boolean value that indicates whether a lot that paid for the booking also paid for another booking of a moved
    /// class.
    func sharesALotWithAMoved(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        let lots = Set(booking.slices.map(\.lot))
        return self.bookings.indices.contains { other in
            let candidate = self.bookings[other]
            return other != number && candidate.key == booking.key && !candidate.isCancelled && self.isMoved(other)
                && candidate.slices.contains { lots.contains($0.lot) }
        }
    }

    /// The next expiry, before the start of the class, of a lot that paid for a booking of a moved class.
    var nextStrandedAt: Date? {
        self.bookings.indices.filter { !self.bookings[$0].isCancelled && self.isMoved($0) }.flatMap { number in
            let booking = self.bookings[number]
            let start = self.classes[booking.new.classID]?.terms.startsAt ?? .distantPast
            return booking.slices.compactMap { self[booking.key].lots[$0.lot].expiresAt }
                .filter { self.now < $0 && $0 < start }
        }.min()
    }

    /// A Boolean value that indicates whether a lot that paid for the booking has expired since.
    func isPaidByTheOver(_ number: Int) -> Bool {
        let booking = self.bookings[number]
        return booking.slices.contains { self[booking.key].lots[$0.lot].isOver(at: self.now) }
    }
}
