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

    /// Waits for seats of a full class; joining again answers the same place.
    ///
    /// Nothing is charged until seats come free: they are then booked, and ``bookings(status:cursor:limit:)`` shows
    /// the booking.
    /// - Parameters:
    ///   - classID: the class.
    ///   - seats: how many seats.
    ///   - payWith: what to pay with; nil lets the wallet choose.
    ///   - maxAmount: the most that it may cost.
    /// - Returns: the place.
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

    /// Waits no longer for a class; who does not wait stays as they are.
    /// - Parameter classID: the class.
    /// - Throws: ``WalletProblem``: `already-booked` where a seat has come free meanwhile; cancel that booking.
    public func leaveWaitlist(of classID: String) async throws {
        _ = try await self.perform(WalletCall(method: "DELETE", path: ["classes", classID, "waitlist"]))
    }
}
