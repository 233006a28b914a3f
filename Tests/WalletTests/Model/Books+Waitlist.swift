import Foundation
import Wallet

extension Books {
    /// Adds a user to the waitlist of a full class (rule 22).
    ///
    /// Returns whether the user is new there, and the user's place.
    mutating func join(_ asked: BookingRequest, _ key: WalletKey) -> Result<(isNew: Bool, place: Int), ModelRefusal> {
        guard let session = self.classes[asked.classID] else {
            return .failure(ModelRefusal(status: 404, slug: "class-not-found"))
        }
        if session.isClosed(at: self.now) { return .failure(ModelRefusal(status: 409, slug: "class-closed")) }
        if let refusal = self.refusalOfBlocked(key) { return .failure(refusal) }
        if let refusal = self.refusalOfSecondBooking(asked.classID, key) { return .failure(refusal) }
        let waiting = session[key.environment].waiting
        if let place = waiting.firstIndex(where: { $0.user == key.user }) {
            guard waiting[place].asked == asked else {
                return .failure(
                    ModelRefusal(status: 409, slug: "already-waiting", members: ["place": "\(place + 1)"])
                )
            }
            return .success((false, place + 1))
        }
        if let refusal = self.refusalOfWaiting(asked, key, session) { return .failure(refusal) }
        self.classes[asked.classID]?[key.environment].waiting.append(ModelWaiting(user: key.user, asked: asked))
        self.tell("waitlist.joined", key)
        return .success((true, waiting.count + 1))
    }

    private func refusalOfWaiting(_ asked: BookingRequest, _ key: WalletKey, _ session: ModelClass) -> ModelRefusal? {
        if let word = asked.payWith, !["unlimited", "visits", "credits"].contains(word), UUID(uuidString: word) == nil {
            return ModelRefusal(status: 409, slug: "payment-not-accepted", members: ["pay_with": word])
        }
        let seatsLeft = session.seatsLeft(in: key.environment, at: self.now)
        if seatsLeft >= asked.seats {
            return ModelRefusal(status: 409, slug: "seats-available", members: ["seats_left": "\(seatsLeft)"])
        }
        if session.terms.cutoff <= self.now {
            let members = ["closed_at": Self.text(session.terms.cutoff)]
            return ModelRefusal(status: 409, slug: "waitlist-closed", members: members)
        }
        if let refusal = self.limit(against: asked, key, session) { return refusal }
        guard asked.seats > session.terms.capacity else { return nil }
        let members = ["seats_left": "\(seatsLeft)", "seats_requested": "\(asked.seats)"]
        return ModelRefusal(status: 409, slug: "class-full", members: members)
    }

    /// Removes a user from the waitlist; a user who was already promoted must cancel the booking instead.
    mutating func leave(_ classID: String, _ key: WalletKey) -> Result<Void, ModelRefusal> {
        guard let session = self.classes[classID] else {
            return .failure(ModelRefusal(status: 404, slug: "class-not-found"))
        }
        guard session[key.environment].waiting.contains(where: { $0.user == key.user }) else {
            let promoted = self.standing(classID, key).flatMap { self.bookings[$0].promoted ? $0 : nil }
            guard let promoted else { return .success(()) }
            return .failure(
                ModelRefusal(status: 409, slug: "already-booked", members: ["booking_id": "booking \(promoted)"])
            )
        }
        self.classes[classID]?.withdraw(key.user, in: key.environment)
        self.tell("waitlist.left", key)
        return .success(())
    }

    /// Promotes the first waiting user to the held seats and charges the wallet now, or passes the user over (rule 22).
    ///
    /// When no candidate is left, the seats become free for all users.
    mutating func promote(_ classID: String, _ environment: WalletEnvironment) -> String {
        guard let session = self.classes[classID], session[environment].held > 0 else { return "done" }
        let seats = session[environment]
        let next = seats.waiting.firstIndex { $0.passed < seats.round }
        if let next { self.lock(WalletKey(user: seats.waiting[next].user, environment: environment)) }
        guard session.promotes(at: self.now), let place = next else {
            self.classes[classID]?[environment].held = 0
            return "done"
        }
        let head = seats.waiting[place]
        let key = WalletKey(user: head.user, environment: environment)
        guard case .success(let payment) = self.plan(head.asked, key, promoted: true) else {
            self.classes[classID]?[environment].waiting[place].passed = seats.round
            return "skipped"
        }
        if place > 0 { self.note("promoted past others") }
        if payment.unit == nil { self.note("promoted unlimited") }
        _ = self.book(head.asked, key, nil, payment)
        return "booked"
    }
}
