import Foundation
import Wallet

/// The response of `bookings/cancel`.
struct CancelledBooking: Encodable, Sendable {
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

    init(_ receipt: BookingReceipt) {
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
