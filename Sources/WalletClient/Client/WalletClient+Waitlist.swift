import Foundation

extension WalletClient {
    private struct Joined: Decodable {
        let waitlist: WaitlistPlace
    }

    private struct Wish: Encodable {
        let seats: Int
        let payWith: PaymentMethod?
        let maxAmount: Int64?

        private enum CodingKeys: String, CodingKey {
            case seats
            case payWith = "pay_with"
            case maxAmount = "max_amount"
        }
    }

    /// Joins the waitlist of a full class; joining again returns the same place.
    ///
    /// The wallet charges nothing until seats become free. It then books them, and ``bookings(status:cursor:limit:)``
    /// returns the booking.
    /// - Parameters:
    ///   - classID: The class's id.
    ///   - seats: The number of seats.
    ///   - payWith: The payment method; nil lets the wallet choose.
    ///   - maxAmount: The highest acceptable price for all seats; nil for no limit.
    /// - Returns: The user's place on the waitlist.
    /// - Throws: ``WalletProblem``, such as `seats-available`, `already-booked`, `already-waiting`, `waitlist-closed`.
    public func joinWaitlist(
        of classID: String,
        seats: Int = 1,
        payWith: PaymentMethod? = nil,
        maxAmount: Int64? = nil
    ) async throws -> WaitlistPlace {
        let call = WalletCall(
            method: "POST",
            path: ["classes", classID, "waitlist"],
            body: try JSONEncoder().encode(Wish(seats: seats, payWith: payWith, maxAmount: maxAmount))
        )
        return try await self.send(call, as: Joined.self).0.waitlist
    }

    /// Leaves the waitlist of a class; does nothing if the user is not on it.
    /// - Parameter classID: The class's id.
    /// - Throws: ``WalletProblem``: `already-booked` if the user has already received a seat; cancel that booking.
    public func leaveWaitlist(of classID: String) async throws {
        _ = try await self.perform(WalletCall(method: "DELETE", path: ["classes", classID, "waitlist"]))
    }
}
