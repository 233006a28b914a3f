import Foundation
import Wallet

/// Books for clients that send no key: the caller's standing booking of the class takes the key's place.
struct SupabaseBooker {
    /// A booking, and whether it had been made before.
    struct Made: Sendable {
        let booking: Booking
        let credits: Int64
        let isKnown: Bool
    }

    let wallet: Wallet

    /// Books, or finds the same booking made before.
    ///
    /// - Parameters:
    ///   - new: What to book.
    ///   - caller: Who books and pays.
    ///   - environment: Which wallet pays.
    ///   - key: The request's Idempotency-Key if it has one; then the wallet recognises replays by it.
    ///   - id: The id that the booking takes if one is made.
    /// - Returns: The booking.
    /// - Throws: ``WalletError`` as booking does; 409 `already-booked` where the standing booking has other seats.
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

    /// Finds the booking that stands in the way, nil where something else does.
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
