import Foundation
import Wallet

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
        self.canCancel = status == .confirmed && isAhead
        self.canReview = status == .completed
        self.freeUntil = booking.cancellation.freeUntil
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
enum SupabaseStatus: String, Sendable {
    case confirmed, cancelled, completed

    init(_ timed: TimedBooking) {
        if timed.booking.status == "cancelled" {
            self = .cancelled
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
