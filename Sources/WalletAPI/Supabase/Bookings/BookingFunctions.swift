import Foundation
import HTTPTypes
import Hummingbird
import Wallet

/// The function `bookings`, and the function of `credit-packs` that books.
///
/// - `POST /functions/v1/credit-packs/book-with-credits` (user)
/// - `POST /functions/v1/bookings/create` (user)
/// - `POST /functions/v1/bookings/cancel` (user)
struct BookingFunctions {
    let wallet: Wallet
    let desk: SupabaseResponder

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("credit-packs/book-with-credits", use: self.bookWithCredits)
        group.post("bookings/create", use: self.create)
        group.post("bookings/cancel", use: self.cancel)
    }

    /// This function always pays with credits; `bookings/create` also accepts visits and plans.
    @Sendable
    private func bookWithCredits(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<BookedWithCredits>> {
        let (made, _) = try await self.book(request, context, payWith: "credits", needsEmail: false)
        return self.answer(BookedWithCredits(made), made, context)
    }

    @Sendable
    private func create(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<CreatedBooking>> {
        let (made, environment) = try await self.book(request, context, payWith: nil, needsEmail: true)
        let timed = try await self.wallet.timedBooking(made.booking.bookingID, of: context.user, in: environment)
        return self.answer(CreatedBooking(made, as: BookingRow(timed, of: context.user)), made, context)
    }

    private func book(
        _ request: Request,
        _ context: UserRequestContext,
        payWith: String?,
        needsEmail: Bool
    ) async throws -> (made: SupabaseBooker.Made, environment: WalletEnvironment) {
        let key = try request.idempotencyKeyIfSent()
        let new = try await request.json(SupabaseBooking.self).booking(payWith: payWith, needsEmail: needsEmail)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let booker = SupabaseBooker(wallet: self.wallet)
        let made = try await booker.book(new, for: context.caller, in: environment, key: key, id: context.bookingID)
        return (made, environment)
    }

    private func answer<Value: Encodable & Sendable>(
        _ value: Value,
        _ made: SupabaseBooker.Made,
        _ context: UserRequestContext
    ) -> JSONAnswer<Envelope<Value>> {
        var answer = self.desk.answer(value, context)
        if made.isKnown {
            answer.headers[.idempotentReplayed] = "true"
        } else {
            answer.status = .created
        }
        return answer
    }

    @Sendable
    private func cancel(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<CancelledBooking>> {
        let wanted = try await request.json(Cancellation.self)
        guard let id = UUID(uuidString: wanted.bookingID) else {
            throw Problem.notFound("booking-not-found", "The user has no booking with this id.")
        }
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let receipt = try await self.wallet.cancel(id, for: context.caller, in: environment)
        return self.desk.answer(CancelledBooking(receipt), context)
    }

    private struct Cancellation: Decodable {
        let bookingID: String

        private enum CodingKeys: String, CodingKey {
            case bookingID = "booking_id"
        }
    }
}
