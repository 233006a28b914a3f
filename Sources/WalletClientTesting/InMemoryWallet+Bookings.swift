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

    /// Returns the price of a booking without booking.
    public func quote(_ intent: BookingIntent) throws -> BookingQuote {
        let cost = try self.priced(intent).cost
        var after = self.summary
        after.credits -= cost
        return BookingQuote(isPayable: true, unit: .credit, amount: cost, balanceAfter: after)
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
        guard booking.startsAt > Date(), booking.attendance ?? .unmarked == .unmarked else {
            throw WalletProblem(status: 409, slug: .notCancellable, title: "The booking cannot be cancelled")
        }
        let isLate = booking.cancellation.freeUntil <= Date()
        let returned = isLate ? 0 : booking.amount
        booking.status = .cancelled
        booking.cancelledAt = Date()
        booking.cancelledBy = .user
        booking.isLateCancel = isLate
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

    /// Checks the user in; the check-in is open from an hour before the start.
    public func checkIn(_ id: UUID) throws -> Booking {
        var booking = try self.booking(id)
        guard booking.status == .booked else {
            throw WalletProblem(status: 409, slug: .bookingCancelled, title: "The booking is cancelled")
        }
        guard booking.startsAt.addingTimeInterval(-3_600) <= Date() else {
            throw WalletProblem(status: 409, slug: .checkInNotOpen, title: "Check-in has not opened yet")
        }
        guard [nil, .unmarked, .attended].contains(booking.attendance) else {
            throw WalletProblem(status: 409, slug: .alreadyMarked, title: "The attendance is already marked")
        }
        booking.attendance = .attended
        self.update { [booking] contents in
            contents.bookings = contents.bookings.map { $0.bookingID == id ? booking : $0 }
        }
        return booking
    }

    /// Joins the waitlist of a full class; the place is always 1, because this wallet has one user.
    public func joinWaitlist(
        of classID: String,
        seats: Int,
        payWith: PaymentMethod?,
        maxAmount: Int64?
    ) throws -> WaitlistPlace {
        let session = try self.classSession(classID)
        if let place = self.contents.waitlist.first(where: { $0.classID == classID }) { return place }
        guard session.seatsLeft < seats else {
            throw WalletProblem(status: 409, slug: .seatsAvailable, title: "The class has free seats")
        }
        let place = WaitlistPlace(
            classID: classID,
            classTitle: session.title,
            startsAt: session.startsAt,
            seats: seats,
            place: 1,
            joinedAt: Date()
        )
        self.update { $0.waitlist.append(place) }
        return place
    }

    /// Leaves the waitlist of a class.
    public func leaveWaitlist(of classID: String) throws {
        _ = try self.answer()
        self.update { $0.waitlist.removeAll { $0.classID == classID } }
    }

    /// The balance after an operation.
    var summary: BalanceSummary {
        BalanceSummary(
            credits: self.contents.balance.credits,
            visits: self.contents.balance.visits,
            version: self.contents.balance.version
        )
    }
}

/// The refusals of the wallet in memory.
extension WalletProblem {
    static let classNotFound = WalletProblem(status: 404, slug: .classNotFound, title: "There is no such class")
    static let priceChanged = WalletProblem(status: 409, slug: .priceChanged, title: "The price has changed")
    static let paymentNotAccepted = WalletProblem(
        status: 409,
        slug: .paymentNotAccepted,
        title: "The class does not accept this payment method"
    )
    static let idempotencyKeyReused = WalletProblem(
        status: 422,
        slug: .idempotencyKeyReused,
        title: "The Idempotency-Key was already used for a different request"
    )

    static func alreadyBooked(_ id: UUID) -> WalletProblem {
        WalletProblem(
            status: 409,
            slug: .alreadyBooked,
            title: "The class is already booked",
            members: ["booking_id": .string(id.uuidString.lowercased())]
        )
    }

    static func classFull(_ session: ClassSession, requested: Int) -> WalletProblem {
        WalletProblem(
            status: 409,
            slug: .classFull,
            title: "The class is full",
            members: ["seats_left": .integer(Int64(session.seatsLeft)), "seats_requested": .integer(Int64(requested))]
        )
    }

    /// Returns the 402 problem with the packs that cover the missing credits, cheapest first.
    static func insufficientCredits(_ contents: InMemoryWallet.Contents, cost: Int64) throws -> WalletProblem {
        let available = contents.balance.credits
        let needed = cost - available
        let packs = contents.packs.filter { $0.unit == .credit && $0.totalCredits >= needed }
            .sorted { $0.price.amount < $1.price.amount }
            .map(InsufficientCredits.PackOffer.init)
        let shortage = InsufficientCredits.Shortage(
            unit: .credit,
            required: cost,
            available: available,
            needed: needed
        )
        let members = InsufficientCredits(
            unit: .credit,
            required: cost,
            available: available,
            needed: needed,
            shortages: [shortage],
            offers: InsufficientCredits.Offers(packs: packs)
        )
        return WalletProblem(
            status: 402,
            slug: .insufficientCredits,
            title: "The balance is too low for the booking",
            detail: "You need \(needed) more credits.",
            members: try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(members))
        )
    }
}

extension InsufficientCredits.PackOffer {
    fileprivate init(_ pack: Pack) {
        self.init(
            productID: pack.productID,
            name: pack.name,
            unit: pack.unit,
            totalCredits: pack.totalCredits,
            bonusCredits: pack.bonusCredits,
            quantity: 1,
            totalPrice: pack.price,
            price: pack.price,
            pricePerCredit: pack.pricePerCredit,
            savingsPercentage: pack.savingsPercentage,
            isPopular: pack.isPopular,
            storeIDs: pack.storeIDs
        )
    }
}
