import Foundation
import Wallet

extension WalkPlan {
    /// A user joins a waitlist, mostly of a full class; or repeats a request, unchanged or changed.
    mutating func joining(_ books: Books) -> WalkStep {
        if self.random.chance(15), let known = self.someWaiting(books) {
            var asked = known.asked
            if self.random.chance(40) { asked.seats += 1 }
            return .join(asked, known.key)
        }
        guard let (id, environment) = self.full(books).randomElement(using: &self.random), !self.random.chance(5) else {
            let key = self.wallet()
            return self.random.chance(20) ? .join(self.booking(for: key, books), key) : self.newBooking(books)
        }
        let others = self.users.filter { user in
            books.standing(id, WalletKey(user: user, environment: environment)) == nil
        }
        let able = others.filter { user in
            let key = WalletKey(user: user, environment: environment)
            return books[key].spendable(.credit, at: books.now) > 10 || books.isUnlimited(key)
        }
        let some = self.random.chance(75) && !able.isEmpty ? able : others
        let user = self.random.chance(90) ? some.randomElement(using: &self.random) : nil
        let key = WalletKey(user: user ?? self.user(), environment: environment)
        var asked = self.booking(for: key, books)
        asked.classID = id
        if self.random.chance(60) { asked = BookingRequest(classID: id, seats: self.random.pick(1, 1, 1, 1, 2)) }
        return .join(asked, key)
    }

    private func full(_ books: Books) -> [(String, WalletEnvironment)] {
        self.classIDs.flatMap { id in WalletEnvironment.allCases.map { (id, $0) } }.filter { id, environment in
            guard let session = books.classes[id], !session.isClosed(at: books.now) else { return false }
            return session.seatsLeft(in: environment, at: books.now) <= 0
        }
    }

    /// A user leaves a waitlist: mostly a waiting user, otherwise a promoted one or any other.
    mutating func leaving(_ books: Books) -> WalkStep {
        if self.random.chance(70), let known = self.someWaiting(books) { return .leave(known.asked.classID, known.key) }
        let promoted = books.bookings.filter { $0.promoted && !$0.isCancelled }
        if self.random.chance(70), let booking = promoted.randomElement(using: &self.random) {
            return .leave(booking.new.classID, booking.key)
        }
        let id = self.random.chance(85) ? self.classIDs.randomElement(using: &self.random) : nil
        return .leave(id ?? "walk\(self.seed).none", self.wallet())
    }

    /// Sometimes returns a due step of the workers, so that other steps come in between.
    mutating func duty(_ books: Books) -> WalkStep? {
        if let (id, environment) = self.held(books).randomElement(using: &self.random) {
            if self.random.chance(45) { return .promote(id, environment) }
            if self.random.chance(25) { return self.shrinking(id, books) }
        }
        if self.random.chance(40), self.classIDs.contains(where: { !books.unsettled($0).isEmpty }) {
            return .settle(limit: self.random.pick(1, 1, 2))
        }
        if self.random.chance(30), books.bookings.indices.contains(where: books.isUncovered) { return .endUnlimited }
        return self.stranding(books)
    }

    /// Sometimes advances the clock until a lot that paid for a moved class has expired, and then cancels that booking.
    private mutating func stranding(_ books: Books) -> WalkStep? {
        let over = books.bookings.indices.filter {
            !books.bookings[$0].isCancelled && books.isMoved($0) && books.isPaidByTheOver($0)
        }
        if self.random.chance(20), let number = over.randomElement(using: &self.random) {
            return .cancel(number, books.bookings[number].key)
        }
        if self.random.chance(12), let stranded = books.nextStrandedAt { return self.wait(until: stranded, books) }
        return nil
    }

    /// Returns the workers' next step; nil when no work is left.
    mutating func work(_ books: Books) -> WalkStep? {
        if let (id, environment) = self.held(books).first { return .promote(id, environment) }
        if self.classIDs.contains(where: { !books.unsettled($0).isEmpty }) { return .settle(limit: 2) }
        return books.bookings.indices.contains(where: books.isUncovered) ? .endUnlimited : nil
    }

    private func held(_ books: Books) -> [(String, WalletEnvironment)] {
        self.classIDs.flatMap { id in WalletEnvironment.allCases.map { (id, $0) } }.filter { id, environment in
            books.classes[id]?[environment].held ?? 0 > 0
        }
    }

    /// A promotion of a random class, whether or not it has held seats.
    mutating func idlePromotion() -> WalkStep {
        .promote(
            self.classIDs.randomElement(using: &self.random) ?? "walk\(self.seed).none",
            self.random.pick(.production, .production, .sandbox)
        )
    }

    private mutating func someWaiting(_ books: Books) -> (asked: BookingRequest, key: WalletKey)? {
        self.classIDs.flatMap { id in
            WalletEnvironment.allCases.flatMap { environment in
                (books.classes[id]?[environment].waiting ?? []).map {
                    ($0.asked, WalletKey(user: $0.user, environment: environment))
                }
            }
        }.randomElement(using: &self.random)
    }
}
