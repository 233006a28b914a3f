import Foundation
import Wallet

/// The response of `credit-packs/book-with-credits`.
struct BookedWithCredits: Encodable, Sendable {
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
    var message: String {
        switch (self.booking.status, self.isKnown) {
        case ("booked", false): "Your booking is confirmed."
        case ("booked", true): "You have already booked this class."
        default: "This booking has been cancelled."
        }
    }
}
