public import Foundation
public import WalletClient

extension InMemoryWallet {
    /// Books a class with credits, at most once for each idempotency key.
    public func book(_ intent: BookingIntent) throws -> BookingResult {
        if let made = self.bookingsByKey[intent.idempotencyKey] {
            guard made.intent == intent else { throw WalletProblem.idempotencyKeyReused }
            return BookingResult(booking: try self.booking(made.id), balance: self.summary, isReplayed: true)
        }
        let (index, cost) = try self.priced(intent)
        let session = self.contents.classes[index]
        let booking = Booking(
            bookingID: UUID(),
            classID: session.classID,
            classTitle: session.title,
            startsAt: session.startsAt,
            status: .booked,
            seats: intent.seats,
            unit: .credit,
            amount: cost,
            confirmationCode: String(UUID().uuidString.prefix(6)),
            cancellation: Booking.Cancellation(freeUntil: session.startsAt.addingTimeInterval(-86_400)),
            createdAt: Date()
        )
        self.update { contents in
            contents.classes[index].seatsLeft -= intent.seats
            contents.bookings.insert(booking, at: 0)
            contents.post(.spend, -cost, booking: booking.bookingID)
        }
        self.bookingsByKey[intent.idempotencyKey] = (intent, booking.bookingID)
        return BookingResult(booking: booking, balance: self.summary)
    }

    /// Returns the price of a booking without booking.
    public func quote(_ intent: BookingIntent) throws -> BookingQuote {
        let cost = try self.priced(intent).cost
        var after = self.summary
        after.credits -= cost
        return BookingQuote(payable: true, unit: .credit, amount: cost, balanceAfter: after)
    }

    /// Lists all matching bookings on one page.
    public func bookings(status: BookingFilter?, cursor: String?, limit: Int?) throws -> BookingPage {
        let contents = try self.answer()
        let now = Date()
        let items = contents.bookings.filter { booking in
            switch status {
            case nil: true
            case .cancelled: booking.status == .cancelled
            case .upcoming: booking.status == .booked && booking.startsAt > now
            case .past: booking.status == .booked && booking.startsAt <= now
            }
        }
        return BookingPage(items: items, waitlist: contents.waitlist)
    }

    /// Reads one booking.
    public func booking(_ id: UUID) throws -> Booking {
        guard let booking = try self.answer().bookings.first(where: { $0.bookingID == id }) else {
            throw WalletProblem(status: 404, slug: .bookingNotFound, title: "There is no such booking")
        }
        return booking
    }

    /// Cancels a booking; a cancellation before ``Booking/Cancellation/freeUntil`` returns the whole price.
    public func cancel(_ id: UUID) throws -> BookingResult {
        var booking = try self.booking(id)
        guard booking.status == .booked else { return BookingResult(booking: booking, balance: self.summary) }
        guard booking.startsAt > Date() else {
            throw WalletProblem(status: 409, slug: .notCancellable, title: "The booking cannot be cancelled")
        }
        let isLate = booking.cancellation.freeUntil <= Date()
        let returned = isLate ? 0 : booking.amount
        booking.status = .cancelled
        booking.cancelledAt = Date()
        booking.cancelledBy = .user
        booking.lateCancel = isLate
        booking.returned = Booking.Returned(unit: .credit, amount: returned)
        self.update { [booking] contents in
            contents.bookings = contents.bookings.map { $0.bookingID == id ? booking : $0 }
            if let index = contents.classes.firstIndex(where: { $0.classID == booking.classID }) {
                contents.classes[index].seatsLeft += booking.seats
            }
            if returned > 0 { contents.post(.return, returned, booking: id) }
        }
        return BookingResult(booking: booking, balance: self.summary)
    }

    /// The balance after an operation.
    var summary: BalanceSummary {
        BalanceSummary(
            credits: self.contents.balance.credits,
            visits: self.contents.balance.visits,
            version: self.contents.balance.version
        )
    }

    /// Returns the index of the class and the price of the booking; throws if the booking is not possible.
    private func priced(_ intent: BookingIntent) throws -> (index: Int, cost: Int64) {
        let contents = try self.answer()
        guard let index = contents.classes.firstIndex(where: { $0.classID == intent.classID }) else {
            throw WalletProblem.classNotFound
        }
        let session = contents.classes[index]
        if let standing = contents.bookings.first(where: { $0.classID == session.classID && $0.status == .booked }) {
            throw WalletProblem.alreadyBooked(standing.bookingID)
        }
        guard let price = session.price.credits else { throw WalletProblem.paymentNotAccepted }
        let cost = price * Int64(intent.seats)
        if let most = intent.maxAmount, cost > most { throw WalletProblem.priceChanged }
        guard session.seatsLeft >= intent.seats else {
            throw WalletProblem.classFull(session, requested: intent.seats)
        }
        guard contents.balance.credits >= cost else {
            throw try WalletProblem.insufficientCredits(contents, cost: cost)
        }
        return (index, cost)
    }
}
