import Foundation
import Wallet

extension Books {
    /// Returns the first limit that a booking breaks (rule 23).
    func limit(against new: BookingRequest, _ key: WalletKey, _ session: ModelClass) -> ModelRefusal? {
        let terms = session.terms
        if let most = terms.limits.maxSeats, new.seats > most {
            return ModelRefusal(status: 409, slug: "too-many-seats", members: ["max_seats": "\(most)"])
        }
        if let opens = terms.limits.opensMinutesBefore.map(terms.before), self.now < opens {
            return ModelRefusal(status: 409, slug: "booking-not-open", members: ["opens_at": Self.text(opens)])
        }
        if let closes = terms.limits.closesMinutesBefore.map(terms.before), closes <= self.now {
            return ModelRefusal(status: 409, slug: "booking-closed", members: ["closed_at": Self.text(closes)])
        }
        if let days = self.daysAhead(key, terms.limits.daysAhead) {
            let opens = terms.before(days * 1_440)
            if self.now < opens {
                let members = ["days_ahead": "\(days)", "opens_at": Self.text(opens)]
                return ModelRefusal(status: 409, slug: "too-far-ahead", members: members)
            }
        }
        return self.overlap(with: session, key)
    }

    /// Returns how many days ahead a user may book: the class's limit or, if greater, the limit of the user's plan.
    ///
    /// If the class sets no limit, the user's plans apply, unless one of them has no limit.
    private func daysAhead(_ key: WalletKey, _ ofClass: Int?) -> Int? {
        let plans = self.livePlans(key).map(\.daysAhead)
        let most = plans.compactMap(\.self).max()
        if let ofClass { return max(ofClass, most ?? ofClass) }
        return plans.contains(nil) ? nil : most
    }

    private func overlap(with session: ModelClass, _ key: WalletKey) -> ModelRefusal? {
        guard let most = session.terms.limits.maxOverlaps else { return nil }
        let overlapping = self.bookings.indices.filter {
            let booking = self.bookings[$0]
            guard
                booking.key == key, !booking.isCancelled, let other = self.classes[booking.new.classID],
                !other.isCancelled
            else { return false }
            return other.terms.startsAt < session.terms.endsAt && session.terms.startsAt < other.terms.endsAt
        }
        guard overlapping.count > most, let first = overlapping.min(by: self.isBefore) else { return nil }
        let members = ["booking_id": "booking \(first)", "max_overlaps": "\(most)"]
        return ModelRefusal(status: 409, slug: "overlapping-booking", members: members)
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        let starts = [left, right].map { self.classes[self.bookings[$0].new.classID]?.terms.startsAt ?? .distantFuture }
        return starts[0] == starts[1] ? left < right : starts[0] < starts[1]
    }

    static func text(_ instant: Date) -> String { Date?.some(instant).walkText }
}
