import Foundation
import Wallet

extension WalkPlan {
    /// The ids of the classes that the walk has created so far.
    var classIDs: [String] { Set(self.classRequests.map(\.id)).sorted() }

    mutating func newClass(_ books: Books) -> WalkStep {
        let others = books.classes.values.filter { !$0.isClosed(at: books.now) }.map(\.terms.startsAt).sorted()
        let together = self.random.chance(25) ? others.randomElement(using: &self.random) : nil
        return self.put(
            self.name("c"),
            startsAt: together ?? self.hours(Int.random(in: 6...60, using: &self.random), from: books.now),
            hours: self.random.pick(1, 1, 2, 6),
            capacity: self.random.pick(1, 1, 1, 2, 2, 3, 5),
            limits: self.limits()
        )
    }

    /// Changes a class's seats, price, policy, limits or times; sometimes under a key that was used before.
    mutating func classEdit(_ books: Books) -> WalkStep {
        if self.random.chance(20), var known = self.classRequests.randomElement(using: &self.random) {
            if self.random.chance(30) { known.terms.capacity += 1 }
            return .putClass(known.id, known.terms, key: known.key)
        }
        let wanted = books.classes.filter { $0.value.seats.values.contains { !$0.waiting.isEmpty || $0.sold > 1 } }
        let held = books.classes.filter { $0.value.seats.values.contains { $0.held > 0 } }
        let some = self.random.chance(50) && !held.isEmpty ? held : wanted
        let one = self.random.chance(70) ? some.keys.sorted().randomElement(using: &self.random) : nil
        guard let id = one ?? self.someClass(books), let session = books.classes[id] else {
            return self.newClass(books)
        }
        let terms = session.terms
        let most = session.seats.values.map(\.sold).max() ?? 0
        let hours = Int(terms.endsAt.timeIntervalSince(terms.startsAt) / 3_600)
        return self.put(
            id,
            startsAt: self.random.chance(20) ? self.otherStart(terms, books) : terms.startsAt,
            hours: self.random.chance(5) ? hours + 1 : hours,
            capacity: max(self.random.pick(most - 1, most - 1, most, most + 1, terms.capacity, terms.capacity + 1), 1),
            limits: self.random.chance(30) ? self.limits() : terms.limits
        )
    }

    /// Reduces a class's capacity to its sold seats.
    mutating func shrinking(_ id: String, _ books: Books) -> WalkStep {
        guard let session = books.classes[id] else { return .sweep }
        var terms = session.terms
        terms.capacity = max(session.seats.values.map(\.sold).max() ?? 0, 1)
        return self.put(id, terms)
    }

    /// Moves a class: mostly one with bookings or waiting users, and mostly to a later time.
    mutating func move(_ books: Books) -> WalkStep {
        let booked = books.classes.filter { _, session in
            session.terms.startsAt > books.now && !session.isCancelled && session.seats.values.contains { $0.sold > 0 }
        }.keys.sorted()
        let expiring = booked.filter { id in books.standing(in: id).contains(where: books.isPaidForATime) }
        let shared = expiring.filter { id in books.standing(in: id).contains(where: books.sharesALotWithAMoved) }
        let likely = self.random.chance(60) && !shared.isEmpty ? shared : expiring
        let some = self.random.chance(90) && !likely.isEmpty ? likely : booked
        guard let id = some.randomElement(using: &self.random), let terms = books.classes[id]?.terms else {
            return self.newClass(books)
        }
        var moved = terms
        moved.startsAt = self.otherStart(terms, books)
        moved.endsAt = moved.startsAt.addingTimeInterval(terms.endsAt.timeIntervalSince(terms.startsAt))
        return self.put(id, moved)
    }

    private mutating func otherStart(_ terms: ModelTerms, _ books: Books) -> Date {
        self.random.chance(70)
            ? self.hours(Int.random(in: 1...120, using: &self.random), from: max(terms.startsAt, books.now))
            : self.hours(Int.random(in: 1...40, using: &self.random), from: books.now)
    }

    /// Cancels a class, mostly one with bookings; sometimes under a key that was used before.
    mutating func classCancellation(_ books: Books) -> WalkStep {
        if self.random.chance(10), let known = self.cancelRequests.randomElement(using: &self.random) {
            return .cancelClass(known.id, reason: self.random.chance(70) ? "ill" : "storm", key: known.key)
        }
        let standing = books.bookings.indices.filter { !books.bookings[$0].isCancelled }
        let over = standing.filter(books.isPaidByTheOver)
        let booked = (self.random.chance(60) && !over.isEmpty ? over : standing).map { books.bookings[$0].new.classID }
        let some = self.random.chance(80) ? booked.randomElement(using: &self.random) : self.someClass(books)
        let id = self.random.chance(4) ? "walk\(self.seed).none" : some ?? "walk\(self.seed).none"
        let request = (id: id, key: self.name("x"))
        self.cancelRequests.append(request)
        return .cancelClass(request.id, reason: "ill", key: request.key)
    }

    private mutating func someClass(_ books: Books) -> String? {
        books.classes.keys.sorted().randomElement(using: &self.random)
    }

    private mutating func put(
        _ id: String,
        startsAt: Date,
        hours: Int,
        capacity: Int,
        limits: ModelLimits
    ) -> WalkStep {
        let credits: Int64? = self.random.chance(85) ? Int64.random(in: 1...12, using: &self.random) : nil
        return self.put(
            id,
            ModelTerms(
                startsAt: startsAt,
                endsAt: startsAt.addingTimeInterval(Double(hours) * 3_600),
                capacity: capacity,
                price: SeatPrice(credits: credits, visits: credits == nil || self.random.chance(75) ? 1 : nil),
                freeMinutesBefore: self.random.pick(0, 120, 600, 1_440),
                limits: limits,
                policyID: self.random.chance(60) ? self.random.pick(self.policyIDs[0], self.policyIDs[1]) : nil
            )
        )
    }

    private mutating func put(_ id: String, _ terms: ModelTerms) -> WalkStep {
        let request = (id: id, terms: terms, key: self.name("p"))
        self.classRequests.append(request)
        return .putClass(request.id, request.terms, key: request.key)
    }

    /// Returns mostly no limits, and never a combination that a class cannot have.
    private mutating func limits() -> ModelLimits {
        var limits = ModelLimits(cutoffMinutes: self.random.pick(60, 60, 60, 0, 240, 720))
        guard self.random.chance(30) else { return limits }
        if self.random.chance(35) { limits.maxSeats = self.random.pick(1, 2) }
        if self.random.chance(25) { limits.daysAhead = self.random.pick(1, 2) }
        if self.random.chance(25) { limits.opensMinutesBefore = 60 * self.random.pick(12, 24, 48) }
        if self.random.chance(25) { limits.closesMinutesBefore = 60 * self.random.pick(0, 1, 6) }
        if self.random.chance(35) { limits.maxOverlaps = self.random.pick(0, 0, 1) }
        return limits
    }
}
