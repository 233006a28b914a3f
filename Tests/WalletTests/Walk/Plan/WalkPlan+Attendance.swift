import Foundation
import Wallet

extension WalkPlan {
    /// The ids of the walk's policies.
    var policyIDs: [String] { (1...2).map { "walk\(self.seed).policy\($0)" } }

    /// Returns the terms of a policy; strikes block early, so that walks meet blocked members.
    mutating func policy() -> ModelPolicy {
        var policy = ModelPolicy(
            freeMinutesBefore: self.random.pick(0, 120, 600, 1_440),
            lateFee: self.random.pick(0, 1, 3),
            lateStrike: self.random.chance(40),
            noShowFee: self.random.pick(0, 2, 5, 9),
            noShowStrike: self.random.chance(60)
        )
        if self.random.chance(70) {
            policy.strikesAllowed = self.random.pick(0, 1, 1)
            policy.strikeDays = self.random.pick(1, 3, 30)
            policy.blockDays = self.random.pick(1, 2, 5)
        }
        return policy
    }

    mutating func policyEdit() -> WalkStep {
        .putPolicy(self.random.pick(self.policyIDs[0], self.policyIDs[1]), self.policy())
    }

    /// Mostly marks a class that is about to begin or has just begun, as a studio does; otherwise returns nil.
    mutating func door(_ books: Books) -> WalkStep? {
        let open = self.openDoors(books)
        guard !open.isEmpty, self.random.chance(30) else { return nil }
        return self.attendance(books)
    }

    /// Marks bookings, checks a member in, or waives a late cancellation.
    mutating func attendance(_ books: Books) -> WalkStep {
        let late = books.bookings.indices.filter { books.bookings[$0].lateCancel }
        if self.random.chance(25), let booking = late.randomElement(using: &self.random) { return .waive(booking) }
        let open = self.openDoors(books)
        let all = Array(books.bookings.indices)
        let some = self.random.chance(85) && !open.isEmpty ? open : all
        guard let booking = some.randomElement(using: &self.random) else { return .sweep }
        let key = books.bookings[booking].key
        if self.random.chance(30) {
            return .checkIn(self.random.chance(95) ? booking : nil, self.random.chance(92) ? key : self.wallet())
        }
        let classID = books.bookings[booking].new.classID
        let others = some.filter {
            books.bookings[$0].new.classID == classID && books.bookings[$0].key.environment == key.environment
        }
        let marked = self.random.chance(60) ? [booking] : others
        return .mark(
            marked,
            of: self.random.chance(97) ? classID : "walk\(self.seed).none",
            attendance: self.random.pick("attended", "no_show", "no_show", "no_show", "excused", "unmarked"),
            in: self.random.chance(97) ? key.environment : .sandbox
        )
    }

    /// The active bookings of classes whose attendance can be marked and that have not ended long ago.
    private func openDoors(_ books: Books) -> [Int] {
        books.bookings.indices.filter { number in
            let booking = books.bookings[number]
            guard !booking.isCancelled, let session = books.classes[booking.new.classID] else { return false }
            return session.terms.before(60) <= books.now
                && books.now < session.terms.endsAt.addingTimeInterval(36 * 3_600)
        }
    }
}
