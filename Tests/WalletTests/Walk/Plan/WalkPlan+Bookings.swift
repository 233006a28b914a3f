import Foundation
import Wallet

extension WalkPlan {
    mutating func newBooking(_ books: Books) -> WalkStep {
        let key = self.payer(books)
        let new = self.booking(for: key, books)
        let idempotencyKey = self.name("k")
        self.requests.append((new, key, idempotencyKey))
        return .book(new, key, idempotencyKey: idempotencyKey)
    }

    /// Sometimes returns a group of bookings and cancellations for one batch, some of them with the same wallet, class
    /// or key; otherwise returns no steps.
    mutating func group(_ books: Books) -> [WalkStep] {
        guard self.random.chance(15), books.classes.values.contains(where: { !$0.isClosed(at: books.now) }) else {
            return []
        }
        return (0..<Int.random(in: 2...7, using: &self.random)).map { _ in
            switch Int.random(in: 0..<10, using: &self.random) {
            case 0..<6: self.newBooking(books)
            case 6..<8: self.repeatedBooking(books)
            default: self.groupedCancellation(books)
            }
        }
    }

    /// Cancels a booking without a fee: the order of two debts that begin in one millisecond is not fixed.
    private mutating func groupedCancellation(_ books: Books) -> WalkStep {
        let step = self.cancellation(books)
        guard case .cancel(let booking?, _) = step, books.bookings[booking].policy?.lateFee ?? 0 > 0 else {
            return step
        }
        return self.newBooking(books)
    }

    mutating func quote(_ books: Books) -> WalkStep {
        let key = self.payer(books)
        return .quote(self.booking(for: key, books), key)
    }

    mutating func booking(for key: WalletKey, _ books: Books) -> BookingRequest {
        let ahead = books.classes.filter { $0.value.terms.startsAt > books.now }.keys.sorted()
        let scarce = ahead.filter { id in
            let left = books.classes[id]?.seatsLeft(in: key.environment, at: books.now) ?? 0
            return left > 0 && left < 3 && books.standing(id, key) == nil
        }
        let some = self.random.chance(60) && !scarce.isEmpty ? scarce : ahead
        let any = self.random.chance(95) && !some.isEmpty ? some : books.classes.keys.sorted()
        let classID = self.random.chance(3) ? "walk\(self.seed).none" : any.randomElement(using: &self.random) ?? "none"
        let price = books.classes[classID]?.terms.price
        let seats = self.random.pick(1, 1, 1, 1, 2, 3)
        let most =
            self.random.pick(price?.credits ?? 1, price?.visits ?? 1, 1, 1_000) * Int64(self.random.pick(1, seats))
        return BookingRequest(
            classID: classID,
            seats: seats,
            payWith: self.payWith(key, books),
            maxAmount: self.random.chance(20) ? most : nil
        )
    }

    private mutating func payWith(_ key: WalletKey, _ books: Books) -> String? {
        switch Int.random(in: 0..<40, using: &self.random) {
        case 0..<26: nil
        case 26..<29: "visits"
        case 29..<33: "credits"
        case 33: "unlimited"
        case 34: "nonsense"
        case 35: books[self.wallet()].lots.randomElement(using: &self.random)?.id?.uuidString
        default: books[key].lots.randomElement(using: &self.random)?.id?.uuidString.lowercased()
        }
    }

    /// Repeats a request, unchanged or with different content under the same key.
    mutating func repeatedBooking(_ books: Books) -> WalkStep {
        guard var request = self.requests.randomElement(using: &self.random) else { return self.newBooking(books) }
        switch Int.random(in: 0..<10, using: &self.random) {
        case 0: request.new.seats += 1
        case 1: request.new.maxAmount = 999
        case 2: request.new.payWith = request.new.payWith == nil ? "credits" : nil
        case 3: request.key = self.wallet()
        default: break
        }
        return .book(request.new, request.key, idempotencyKey: request.idempotencyKey)
    }

    /// Cancels mostly an active booking of the user; otherwise a cancelled booking, another user's, or none.
    mutating func cancellation(_ books: Books) -> WalkStep {
        var standing = books.bookings.indices.filter { !books.bookings[$0].isCancelled }
        let notable = standing.filter { books.isMoved($0) || self.isWanted(books.bookings[$0], books) }
        let over = standing.filter(books.isPaidByTheOver)
        if self.random.chance(50), !notable.isEmpty { standing = notable }
        if self.random.chance(60), !over.isEmpty { standing = over }
        let all = Array(books.bookings.indices)
        let booking = (self.random.chance(75) && !standing.isEmpty ? standing : all).randomElement(using: &self.random)
        guard let booking, !self.random.chance(3) else { return .cancel(nil, self.wallet()) }
        return .cancel(booking, self.random.chance(92) ? books.bookings[booking].key : self.wallet())
    }

    /// A Boolean value that indicates whether users wait for the booking's seats.
    private func isWanted(_ booking: ModelBooking, _ books: Books) -> Bool {
        guard let session = books.classes[booking.new.classID], !session.isClosed(at: books.now) else { return false }
        return !session[booking.key.environment].waiting.isEmpty
    }
}
