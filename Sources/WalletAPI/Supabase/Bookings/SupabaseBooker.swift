import Foundation
import Wallet

/// Books for clients that send no idempotency key.
///
/// The caller's existing booking of the class replaces the key.
struct SupabaseBooker {
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
        _ new: NewBooking,
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
