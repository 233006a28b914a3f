import Hummingbird
import Wallet

/// Shows bookings.
///
/// - `GET /bookings` (user)
/// - `GET /bookings/{id}` (user)
struct BookingListRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("bookings", use: self.list)
        group.get("bookings/:id", use: self.one)
    }

    @Sendable
    private func list(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<BookingsAnswer> {
        let environment = try await self.wallet.environment(of: context.user, in: request)
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
                in: self.wallet.environment(of: context.user, in: request)
            )
        )
    }
}
