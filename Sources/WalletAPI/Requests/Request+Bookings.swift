import Foundation
import Hummingbird
import Wallet

extension Request {
    /// Reads `status`: `upcoming`, `past` or `cancelled`; nil selects all bookings.
    func bookingFilter() throws -> BookingFilter? {
        guard let text = try self.query("status") else { return nil }
        guard let filter = BookingFilter(rawValue: text) else {
            throw Problem.parameter("status", "must be upcoming, past or cancelled", Received(text))
        }
        return filter
    }
}

extension NewBooking {
    /// Refuses members of the correct type whose values no booking can have.
    func checked() throws -> NewBooking {
        guard ClassID.isValid(self.classID) else {
            throw Problem.member("class_id", "must be 1 to 64 of A-Z a-z 0-9 . _ : -", Received(self.classID))
        }
        try BookingWish(seats: self.seats, payWith: self.payWith, maxAmount: self.maxAmount).check()
        return self
    }
}

extension WaitlistRequest {
    /// Refuses members of the correct type whose values no booking can have.
    func checked() throws -> WaitlistRequest {
        try BookingWish(seats: self.seats, payWith: self.payWith, maxAmount: self.maxAmount).check()
        return self
    }
}

/// The members that a booking and a waitlist entry share.
private struct BookingWish {
    private static let largestAmount: Int64 = 1_000_000_000

    let seats: Int
    let payWith: String?
    let maxAmount: Int64?

    func check() throws {
        guard (1...100).contains(self.seats) else {
            throw Problem.member("seats", "must be a whole number from 1 to 100", Received(self.seats))
        }
        if let amount = self.maxAmount, !(0...Self.largestAmount).contains(amount) {
            throw Problem.member(
                "max_amount",
                "must be a whole number from 0 to \(Self.largestAmount)",
                Received(amount)
            )
        }
        if let payWith = self.payWith, !Self.isMeans(payWith) {
            throw Problem.member("pay_with", "must be unlimited, visits, credits or a lot's id", Received(payWith))
        }
    }

    private static func isMeans(_ payWith: String) -> Bool {
        ["unlimited", "visits", "credits"].contains(payWith) || UUID(uuidString: payWith) != nil
    }
}
