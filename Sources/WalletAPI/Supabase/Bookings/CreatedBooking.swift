import Foundation
import Wallet

/// The response of `bookings/create`.
struct CreatedBooking: Encodable, Sendable {
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
