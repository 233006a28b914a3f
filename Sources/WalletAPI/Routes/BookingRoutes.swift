import Foundation
import HTTPTypes
import Hummingbird
import Wallet

/// Books classes, cancels bookings and lists them.
///
/// - `POST /bookings` (user), with `?dry_run=true` to ask what would happen
/// - `GET /bookings` (user)
/// - `GET /bookings/{id}` (user)
/// - `POST /bookings/{id}/cancel`, `DELETE /bookings/{id}` (user)
struct BookingRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("bookings", use: self.create)
        group.get("bookings", use: self.list)
        group.get("bookings/:id", use: self.one)
        group.post("bookings/:id/cancel", use: self.cancel)
        group.delete("bookings/:id", use: self.cancel)
    }

    @Sendable
    private func create(_ request: Request, _ context: UserRequestContext) async throws -> Response {
        let environment = try request.walletEnvironment()
        if try request.isDryRun() {
            _ = try request.idempotencyKeyIfSent()
            let booking = try await request.json(NewBooking.self).checked()
            let quote = try await self.wallet.quote(booking, for: context.user, in: environment)
            return try JSONAnswer(quote).response(from: request, context: context)
        }
        let key = try request.idempotencyKey()
        let booking = try await request.json(NewBooking.self).checked()
        let receipt = try await self.wallet.book(booking, for: context.user, in: environment, key: key)
        return try self.answer(receipt).response(from: request, context: context)
    }

    /// A replay is told apart by its status and a field: nothing was booked this time.
    private func answer(_ receipt: BookingReceipt) -> JSONAnswer<BookingReceipt> {
        if receipt.replayed { return JSONAnswer(receipt, headers: [.idempotentReplayed: "true"]) }
        let location = "/bookings/\(receipt.booking.bookingID.uuidString.lowercased())"
        return JSONAnswer(receipt, status: .created, headers: [.location: location])
    }

    @Sendable
    private func list(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<BookingsAnswer> {
        let environment = try request.walletEnvironment()
        let filter = try request.bookingFilter()
        let wanted = try request.page()
        let page = try await self.wallet.bookings(of: context.user, in: environment, filter: filter, page: wanted)
        // What is waited for stands before everything that was booked, so on the first page only.
        let showsWaitlist = wanted.cursor == nil && (filter == nil || filter == .upcoming)
        let waitlist = showsWaitlist ? try await self.wallet.waitlist(of: context.user, in: environment) : []
        return JSONAnswer(BookingsAnswer(page, waitlist: waitlist))
    }

    @Sendable
    private func one(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<Booking> {
        JSONAnswer(
            try await self.wallet.booking(
                context.parameters.bookingID(),
                of: context.user,
                in: request.walletEnvironment()
            )
        )
    }

    @Sendable
    private func cancel(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<BookingReceipt> {
        JSONAnswer(
            try await self.wallet.cancel(
                context.parameters.bookingID(),
                for: context.user,
                in: request.walletEnvironment()
            )
        )
    }
}
