import Foundation
import HTTPTypes
import Hummingbird
import Wallet
import WalletAPI

/// The function `bookings`, and the function of `credit-packs` that books.
///
/// - `POST /functions/v1/credit-packs/book-with-credits` (user)
/// - `POST /functions/v1/bookings/create` (user)
/// - `POST /functions/v1/bookings/cancel` (user)
/// - `POST /functions/v1/bookings/check-in` (user)
struct BookingFunctions {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("credit-packs/book-with-credits", use: self.bookWithCredits)
        group.post("bookings/create", use: self.create)
        group.post("bookings/cancel", use: self.cancel)
        group.post("bookings/check-in", use: self.checkIn)
    }

    /// This function always pays with credits; `bookings/create` also accepts visits and plans.
    @Sendable
    private func bookWithCredits(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<BookedWithCredits>> {
        let (made, _) = try await self.book(request, context, payWith: "credits", needsEmail: false)
        return self.answer(BookedWithCredits(made), made, context)
    }

    @Sendable
    private func create(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<CreatedBooking>> {
        let (made, environment) = try await self.book(request, context, payWith: nil, needsEmail: true)
        let timed = try await self.wallet.timedBooking(made.booking.bookingID, of: context.user, in: environment)
        return self.answer(CreatedBooking(made, as: BookingRow(timed, of: context.user)), made, context)
    }

    private func book(
        _ request: Request,
        _ context: UserRequestContext,
        payWith: String?,
        needsEmail: Bool
    ) async throws -> (made: SupabaseBooker.Made, environment: WalletEnvironment) {
        let key = try request.idempotencyKeyIfSent()
        let new = try await request.json(SupabaseBooking.self, mayBePlain: true)
            .booking(payWith: payWith, needsEmail: needsEmail)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let booker = SupabaseBooker(wallet: self.wallet)
        let made = try await booker.book(new, for: context.caller, in: environment, key: key, id: context.bookingID)
        return (made, environment)
    }

    private func answer<Value: Encodable & Sendable>(
        _ value: Value,
        _ made: SupabaseBooker.Made,
        _ context: UserRequestContext
    ) -> JSONAnswer<Envelope<Value>> {
        var answer = JSONAnswer(Envelope(value, requestID: context.requestID))
        if made.isKnown {
            answer.headers[.idempotentReplayed] = "true"
        } else {
            answer.status = .created
        }
        return answer
    }

    @Sendable
    private func cancel(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<CancelledBooking>> {
        let id = try await request.json(BookingName.self, mayBePlain: true).id()
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let receipt = try await self.wallet.cancel(id, for: context.caller, in: environment)
        return JSONAnswer(Envelope(CancelledBooking(receipt), requestID: context.requestID))
    }

    @Sendable
    private func checkIn(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<BookingRow>> {
        let id = try await request.json(BookingName.self, mayBePlain: true).id()
        let environment = try await self.wallet.environment(of: context.user, in: request)
        _ = try await self.wallet.checkIn(id, for: context.caller, in: environment)
        let timed = try await self.wallet.timedBooking(id, of: context.user, in: environment)
        return JSONAnswer(Envelope(BookingRow(timed, of: context.user), requestID: context.requestID))
    }

    private struct BookingName: Decodable {
        let bookingID: String

        private enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
        }

        func id() throws -> UUID {
            guard let id = UUID(uuidString: self.bookingID) else {
                throw Problem.notFound("booking-not-found", "The user has no booking with this id.")
            }
            return id
        }
    }
}

/// An app's request for a booking: a class and the attendees.
struct SupabaseBooking: Decodable, Sendable {
    /// An attendee; the wallet does not store the attendee's data.
    struct Attendee: Decodable, Sendable {
        let name: String?
        let email: String?
    }

    let classID: String
    let attendees: [Attendee]

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case attendees
    }

    /// Returns the booking to make, with one seat for each attendee.
    ///
    /// - Parameters:
    ///   - payWith: The means of payment; nil lets the wallet choose.
    ///   - needsEmail: A Boolean value that indicates whether each attendee must have an email address.
    /// - Returns: The booking to make; a replay is recognised by its class and seats.
    /// - Throws: ``Problem`` 400 `malformed-request` or `invalid-attendee`.
    func booking(payWith: String?, needsEmail: Bool) throws -> BookingRequest {
        guard (1...100).contains(self.attendees.count) else {
            throw Problem.member("attendees", "must have 1 to 100 people; received \(self.attendees.count)")
        }
        for attendee in self.attendees {
            guard Self.isSaid(attendee.name), !needsEmail || Self.isSaid(attendee.email) else {
                throw Problem(
                    .badRequest,
                    "invalid-attendee",
                    needsEmail ? "Each attendee must have a name and an email." : "Each attendee must have a name."
                )
            }
        }
        return try BookingRequest(classID: self.classID, seats: self.attendees.count, payWith: payWith).checked()
    }

    private static func isSaid(_ text: String?) -> Bool {
        text?.contains { !$0.isWhitespace } ?? false
    }
}

/// Books for clients that send no idempotency key.
///
/// The caller's existing booking of the class replaces the key.
private struct SupabaseBooker {
    /// A booking and whether it existed before the request.
    struct Made: Sendable {
        let booking: Booking
        let credits: Int64
        let isKnown: Bool
    }

    let wallet: Wallet

    /// Books a class, or returns the caller's identical existing booking.
    ///
    /// - Parameters:
    ///   - new: The booking to make.
    ///   - caller: The user who books and pays.
    ///   - environment: The environment of the wallet that pays.
    ///   - key: The request's Idempotency-Key, if it has one; the wallet then recognises replays by the key.
    ///   - id: The id of the new booking.
    /// - Returns: The booking.
    /// - Throws: ``WalletError`` from the booking; 409 `already-booked` if the existing booking has a different number
    ///   of seats.
    func book(
        _ new: BookingRequest,
        for caller: Caller,
        in environment: WalletEnvironment,
        key: String?,
        id: UUID
    ) async throws -> Made {
        do {
            let receipt = try await self.wallet.book(
                new,
                for: caller,
                in: environment,
                key: key ?? UUID().uuidString.lowercased(),
                id: id
            )
            return Made(booking: receipt.booking, credits: receipt.balance.credits, isKnown: receipt.replayed)
        } catch let refusal as WalletError {
            guard key == nil, let id = try Self.standing(refusal) else { throw refusal }
            let known = try await self.wallet.booking(id, of: caller.user, in: environment)
            guard known.status == "booked", known.seats == new.seats else { throw refusal }
            let credits = try await self.wallet.balance(of: caller.user, in: environment).credits
            return Made(booking: known, credits: credits, isKnown: true)
        }
    }

    /// Returns the id of the existing booking in an `already-booked` refusal; nil for other refusals.
    private static func standing(_ refusal: WalletError) throws -> UUID? {
        guard refusal.slug == "already-booked", let members = refusal.membersJSON else { return nil }
        return try JSONDecoder().decode(Known.self, from: Data(members.utf8)).bookingID
    }

    private struct Known: Decodable {
        let bookingID: UUID

        private enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
        }
    }
}

/// The response of `credit-packs/book-with-credits`.
private struct BookedWithCredits: Encodable, Sendable {
    @WireUUID var bookingID: UUID
    let status: String
    let paymentMethod: String
    let creditsUsed: Int64
    let classID: String
    let classTitle: String
    let attendeesCount: Int
    let confirmationNumber: String
    let message: String
    let remainingCredits: Int64
    let idempotent: Bool

    enum CodingKeys: String, CodingKey {
        case bookingID = "booking_id"
        case status
        case paymentMethod = "payment_method"
        case creditsUsed = "credits_used"
        case classID = "class_id"
        case classTitle = "class_title"
        case attendeesCount = "attendees_count"
        case confirmationNumber = "confirmation_number"
        case message
        case remainingCredits = "remaining_credits"
        case idempotent
    }

    init(_ made: SupabaseBooker.Made) {
        let booking = made.booking
        self._bookingID = WireUUID(wrappedValue: booking.bookingID)
        self.status = booking.status == "booked" ? "confirmed" : booking.status
        self.paymentMethod = booking.paymentMethod
        self.creditsUsed = booking.creditsUsed
        self.classID = booking.classID
        self.classTitle = booking.classTitle
        self.attendeesCount = booking.seats
        self.confirmationNumber = booking.confirmationCode
        self.message = made.message
        self.remainingCredits = made.credits
        self.idempotent = made.isKnown
    }
}

extension SupabaseBooker.Made {
    /// The message that the app displays.
    fileprivate var message: String {
        switch (self.booking.status, self.isKnown) {
        case ("booked", false): "Your booking is confirmed."
        case ("booked", true): "You have already booked this class."
        default: "This booking has been cancelled."
        }
    }
}

/// The response of `bookings/create`.
private struct CreatedBooking: Encodable, Sendable {
    /// The payment, which the wallet has already made.
    struct Payment: Encodable, Sendable {
        let status = "succeeded"
        let paymentMethod: String
        let creditsUsed: Int64
        let remainingCredits: Int64

        enum CodingKeys: String, CodingKey {
            case status
            case paymentMethod = "payment_method"
            case creditsUsed = "credits_used"
            case remainingCredits = "remaining_credits"
        }
    }

    /// The next step of the app; there is none, because the booking is already paid.
    struct NextSteps: Encodable, Sendable {
        let action = "none"
        let message: String
    }

    let booking: BookingRow
    let payment: Payment
    let nextSteps: NextSteps
    let idempotent: Bool

    enum CodingKeys: String, CodingKey {
        case booking, payment
        case nextSteps = "next_steps"
        case idempotent
    }

    init(_ made: SupabaseBooker.Made, as row: BookingRow) {
        self.booking = row
        self.payment = Payment(
            paymentMethod: made.booking.paymentMethod,
            creditsUsed: made.booking.creditsUsed,
            remainingCredits: made.credits
        )
        self.nextSteps = NextSteps(message: made.message)
        self.idempotent = made.isKnown
    }
}

/// The response of `bookings/cancel`.
private struct CancelledBooking: Encodable, Sendable {
    /// The returned amount; it is available immediately.
    struct Refund: Encodable, Sendable {
        let amount: Int64
        let unit: CreditUnit
        let percentage: Int
        let estimatedProcessingTime = "immediately"

        enum CodingKeys: String, CodingKey {
            case amount, unit, percentage
            case estimatedProcessingTime = "estimated_processing_time"
        }
    }

    @WireUUID var bookingID: UUID
    let status: String
    let classTitle: String
    let attendeesCount: Int
    let originalAmount: Int64
    let refund: Refund?
    let message: String
    let remainingCredits: Int64
    let idempotent: Bool

    enum CodingKeys: String, CodingKey {
        case bookingID = "booking_id"
        case status
        case classTitle = "class_title"
        case attendeesCount = "attendees_count"
        case originalAmount = "original_amount"
        case refund, message
        case remainingCredits = "remaining_credits"
        case idempotent
    }

    init(_ receipt: BookingResult) {
        let booking = receipt.booking
        self._bookingID = WireUUID(wrappedValue: booking.bookingID)
        self.status = booking.status
        self.classTitle = booking.classTitle
        self.attendeesCount = booking.seats
        self.originalAmount = booking.amount
        self.refund = Self.refund(of: booking)
        self.message = Self.message(booking, refund: self.refund)
        self.remainingCredits = receipt.balance.credits
        self.idempotent = receipt.replayed
    }

    private static func refund(of booking: Booking) -> Refund? {
        guard let returned = booking.returned, let unit = returned.unit, returned.amount > 0, booking.amount > 0 else {
            return nil
        }
        return Refund(
            amount: returned.amount,
            unit: unit,
            percentage: Int(returned.amount * 100 / booking.amount)
        )
    }

    private static func message(_ booking: Booking, refund: Refund?) -> String {
        if let refund {
            return "Your booking is cancelled; \(SupabaseText.amount(refund.amount, refund.unit)) were returned."
        }
        return booking.lateCancel
            ? "Your booking is cancelled. It was too late for a refund."
            : "Your booking is cancelled."
    }
}
