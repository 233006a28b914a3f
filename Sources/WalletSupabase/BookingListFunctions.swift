import Foundation
import Hummingbird
import Wallet
import WalletAPI

/// The parts of the function `bookings` that return bookings.
///
/// - `GET /functions/v1/bookings/my-bookings` (user)
/// - `GET /functions/v1/bookings/upcoming` (user)
/// - `GET /functions/v1/bookings/history` (user)
/// - `GET /functions/v1/bookings/{id}` (user)
struct BookingListFunctions {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("bookings/my-bookings", use: self.mine)
        group.get("bookings/upcoming") { try await self.list(.upcoming, $0, $1) }
        group.get("bookings/history") { try await self.list(.history, $0, $1) }
        group.get("bookings/:id", use: self.one)
    }

    @Sendable
    private func mine(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> Response {
        let selection: BookingSelection
        switch try request.query("status") {
        case nil: selection = .all
        case "confirmed": selection = .standing
        case "completed": selection = .completed
        case "cancelled": selection = .cancelled
        case "no_show": selection = .noShows
        case "waitlisted":
            return try await self.waiting(request, context).response()
        // Booking states of the apps that do not exist in the wallet.
        case "pending", "refunded":
            let part = try OffsetQuery.page(request)
            _ = try request.walletEnvironmentIfSent()
            return try JSONAnswer(Envelope([BookingRow](), of: 0, part: part, requestID: context.requestID)).response()
        case let text?:
            let names = ["pending", "confirmed", "cancelled", "completed", "no_show", "waitlisted", "refunded"]
            throw Problem.parameter("status", "must be \(AllowedValues(names: names))", Received(text))
        }
        return try await self.list(selection, request, context).response()
    }

    private func waiting(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[WaitingRow]>> {
        let part = try OffsetQuery.page(request)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let places = try await self.wallet.waitlist(of: context.user, in: environment)
        let rows = places.dropFirst(part.request.offset).prefix(part.request.limit)
        return JSONAnswer(
            Envelope(
                rows.map { WaitingRow($0, of: context.user) },
                of: places.count,
                part: part,
                requestID: context.requestID
            )
        )
    }

    private func list(
        _ selection: BookingSelection,
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[BookingRow]>> {
        let part = try OffsetQuery.page(request)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let found = try await self.wallet.timedBookings(
            of: context.user,
            in: environment,
            selection,
            part: part.request
        )
        let rows = found.items.map { BookingRow($0, of: context.user) }
        return JSONAnswer(Envelope(rows, of: found.total, part: part, requestID: context.requestID))
    }

    @Sendable
    private func one(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<BookingRow>> {
        // The paths of these functions also match the pattern of a booking's path.
        if ["create", "cancel", "check-in"].contains(context.parameters.get("id")) {
            throw Problem.methodNotAllowed([.post])
        }
        let id = try context.parameters.bookingID()
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let timed = try await self.wallet.timedBooking(id, of: context.user, in: environment)
        return JSONAnswer(Envelope(BookingRow(timed, of: context.user), requestID: context.requestID))
    }
}

/// A booking in the format of the apps' lists.
struct BookingRow: Encodable, Sendable {
    @WireUUID var id: UUID
    let userID: String
    let classID: String
    let classTitle: String
    let classDate: Date
    let startsAt: Date
    let endsAt: Date
    let status: String
    let paymentStatus: String
    let paymentMethod: String
    let creditsUsed: Int64
    let amountFormatted: String
    let attendeesCount: Int
    let confirmationNumber: String
    let confirmationCode: String
    let canCancel: Bool
    let canReview: Bool
    let freeUntil: Date
    let attendance: String
    let feeCredits: Int64
    let moved: Bool
    let hoursUntilClass: Int?
    let reminderNeeded: Bool?
    let cancelledAt: Date?
    let cancelledBy: String?
    let creditsReturned: Int64?
    let createdAt: Date
    let updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id
        case userID = "user_id"
        case classID = "class_id"
        case classTitle = "class_title"
        case classDate = "class_date"
        case startsAt = "starts_at"
        case endsAt = "ends_at"
        case status
        case paymentStatus = "payment_status"
        case paymentMethod = "payment_method"
        case creditsUsed = "credits_used"
        case amountFormatted = "amount_formatted"
        case attendeesCount = "attendees_count"
        case confirmationNumber = "confirmation_number"
        case confirmationCode = "confirmation_code"
        case canCancel = "can_cancel"
        case canReview = "can_review"
        case freeUntil = "free_until"
        case attendance
        case feeCredits = "fee_credits"
        case moved
        case hoursUntilClass = "hours_until_class"
        case reminderNeeded = "reminder_needed"
        case cancelledAt = "cancelled_at"
        case cancelledBy = "cancelled_by"
        case creditsReturned = "credits_returned"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ timed: TimedBooking, of user: UserID) {
        let booking = timed.booking
        let status = SupabaseStatus(timed)
        let isAhead = timed.secondsAhead > 0
        self._id = WireUUID(wrappedValue: booking.bookingID)
        self.userID = user.rawValue
        self.classID = booking.classID
        self.classTitle = booking.classTitle
        self.classDate = booking.startsAt
        self.startsAt = booking.startsAt
        self.endsAt = timed.endsAt
        self.status = status.rawValue
        self.paymentStatus = booking.returned.map { $0.amount > 0 } ?? false ? "refunded" : "succeeded"
        self.paymentMethod = booking.paymentMethod
        self.creditsUsed = booking.creditsUsed
        self.amountFormatted = SupabaseText.amount(booking.amount, booking.unit)
        self.attendeesCount = booking.seats
        self.confirmationNumber = booking.confirmationCode
        self.confirmationCode = booking.confirmationCode
        self.canCancel = status == .confirmed && isAhead && booking.attendance == "unmarked"
        self.canReview = status == .completed
        self.freeUntil = booking.cancellation.freeUntil
        self.attendance = booking.attendance
        self.feeCredits = booking.fee
        self.moved = booking.moved
        self.hoursUntilClass = self.canCancel ? Int(timed.secondsAhead / 3_600) : nil
        self.reminderNeeded = self.canCancel ? timed.secondsAhead <= 86_400 : nil
        self.cancelledAt = booking.cancelledAt
        self.cancelledBy = booking.cancelledBy
        self.creditsReturned = booking.returned.map { $0.unit == .credit ? $0.amount : 0 }
        self.createdAt = booking.createdAt
        self.updatedAt = booking.cancelledAt ?? booking.createdAt
    }
}

/// A booking's status under the names that the apps use.
private enum SupabaseStatus: String, Sendable {
    case confirmed, cancelled, completed
    case noShow = "no_show"

    init(_ timed: TimedBooking) {
        if timed.booking.status == "cancelled" {
            self = .cancelled
        } else if timed.booking.attendance == "no_show" {
            self = .noShow
        } else {
            self = timed.isOver ? .completed : .confirmed
        }
    }
}

extension Booking {
    /// The means of payment: `credits`, `visits` or `unlimited`.
    var paymentMethod: String {
        switch self.unit {
        case .credit: "credits"
        case .visit: "visits"
        case nil: "unlimited"
        }
    }

    /// The number of credits that the booking cost.
    var creditsUsed: Int64 { self.unit == .credit ? self.amount : 0 }
}

/// A waitlist entry in the format of the apps' booking list; it has an id but is not a booking yet.
private struct WaitingRow: Encodable, Sendable {
    @WireUUID var id: UUID
    let userID: String
    let classID: String
    let classTitle: String
    let classDate: Date
    let startsAt: Date
    let status = "waitlisted"
    let attendeesCount: Int
    let waitlistPosition: Int
    let waitlistJoinedAt: Date
    let canCancel = false
    let canReview = false
    let createdAt: Date

    enum CodingKeys: String, CodingKey {
        case id
        case userID = "user_id"
        case classID = "class_id"
        case classTitle = "class_title"
        case classDate = "class_date"
        case startsAt = "starts_at"
        case status
        case attendeesCount = "attendees_count"
        case waitlistPosition = "waitlist_position"
        case waitlistJoinedAt = "waitlist_joined_at"
        case canCancel = "can_cancel"
        case canReview = "can_review"
        case createdAt = "created_at"
    }

    init(_ place: WaitlistPlace, of user: UserID) {
        self._id = WireUUID(wrappedValue: SupabaseText.id(of: "waitlist:\(place.classID):\(user.rawValue)"))
        self.userID = user.rawValue
        self.classID = place.classID
        self.classTitle = place.classTitle
        self.classDate = place.startsAt
        self.startsAt = place.startsAt
        self.attendeesCount = place.seats
        self.waitlistPosition = place.place
        self.waitlistJoinedAt = place.joinedAt
        self.createdAt = place.joinedAt
    }
}
