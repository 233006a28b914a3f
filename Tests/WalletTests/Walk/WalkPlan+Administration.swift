import Foundation
import Wallet

extension WalkPlan {
    mutating func adjustment(_ books: Books) -> WalkStep {
        let unit: CreditUnit = self.random.pick(.credit, .credit, .visit)
        let size = Int64.random(in: -40...60, using: &self.random)
        var adjustment = ModelAdjustment(
            key: self.wallet(),
            unit: unit,
            amount: unit == .visit ? size / 10 : size
        )
        var reference = self.name("a")
        if self.random.chance(20), let known = self.references.randomElement(using: &self.random) {
            reference = known
            if self.random.chance(50), let posted = books.adjustments[known] { adjustment = posted }
        }
        self.references.append(reference)
        let expiresAt =
            self.random.chance(50) ? self.hours(Int.random(in: -2...60, using: &self.random), from: books.now) : nil
        return .adjust(
            adjustment,
            reference: reference,
            expiresAt: expiresAt,
            reason: self.random.chance(95) ? "goodwill" : ""
        )
    }

    mutating func walletUpdate(_ books: Books) -> WalkStep {
        let user = self.user()
        let wallet = books[WalletKey(user: user, environment: .production)]
        let credits = wallet.spendable(.credit, at: books.now) + Int64.random(in: -30...30, using: &self.random)
        let visits = wallet.spendable(.visit, at: books.now) + Int64.random(in: -2...2, using: &self.random)
        return .setWallet(
            user,
            credits: self.random.chance(80) ? credits : nil,
            visits: self.random.chance(40) ? visits : nil,
            reason: self.random.chance(95) ? "counted again" : nil
        )
    }

    mutating func newClass(_ books: Books) -> WalkStep {
        let startsAt = self.hours(Int.random(in: 6...60, using: &self.random), from: books.now)
        return self.put(self.name("c"), startsAt: startsAt)
    }

    /// A class gets other seats, another price or policy; its key may be one that was used before.
    mutating func classEdit(_ books: Books) -> WalkStep {
        if self.random.chance(25), var known = self.classRequests.randomElement(using: &self.random) {
            if self.random.chance(30) { known.definition.capacity += 1 }
            return .putClass(known.id, known.definition, key: known.key)
        }
        guard let id = books.classes.keys.sorted().randomElement(using: &self.random), let session = books.classes[id]
        else { return self.newClass(books) }
        return self.put(id, startsAt: session.startsAt)
    }

    private mutating func put(_ id: String, startsAt: Date) -> WalkStep {
        let credits: Int64? = self.random.chance(85) ? Int64.random(in: 1...12, using: &self.random) : nil
        let definition = ClassDefinition(
            title: "A class",
            startsAt: startsAt,
            endsAt: startsAt.addingTimeInterval(3_600),
            capacity: Int.random(in: 1...6, using: &self.random),
            price: SeatPrice(credits: credits, visits: credits == nil || self.random.chance(75) ? 1 : nil),
            cancellation: CancellationPolicy(freeMinutesBefore: self.random.pick(0, 120, 600, 1_440))
        )
        let request = (id: id, definition: definition, key: self.name("p"))
        self.classRequests.append(request)
        return .putClass(request.id, request.definition, key: request.key)
    }

    mutating func clockMove() -> WalkStep {
        .advance(hours: self.random.pick(1, 1, 2, 3, 5, 8, 12, 24, 24, 60))
    }
}
