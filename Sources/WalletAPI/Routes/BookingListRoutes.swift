import Hummingbird
import Wallet

/// Returns a user's bookings.
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
    private func list(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        return try await self.wallet.bookings(of: context.user, in: environment, asked: request)
    }

    @Sendable
    private func one(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let booking = try await self.wallet.booking(
            context.parameters.bookingID(),
            of: context.user,
            in: self.wallet.environment(of: context.user, in: request)
        )
        return WireAnswer(json: booking.json())
    }
}

extension Wallet {
    /// Returns the page of a user's bookings that a user's or an operator's request selects, together with the waitlist:
    /// `{"bookings": […], "next_cursor": null, "waitlist": […]}`.
    func bookings(
        of user: UserID,
        in environment: WalletEnvironment,
        asked request: Request
    ) async throws -> WireAnswer {
        let filter = try request.bookingFilter()
        let wanted = try request.page()
        let page = try await self.bookings(of: user, in: environment, filter: filter, page: wanted)
        // The waitlist precedes all bookings, so only the first page contains it.
        let showsWaitlist = wanted.cursor == nil && (filter == nil || filter == .upcoming)
        let waitlist = showsWaitlist ? try await self.waitlist(of: user, in: environment) : []
        return WireAnswer(
            json: """
                {"bookings":\(list: page.items, { $0.json() }),"next_cursor":\(page.nextCursor),\
                "waitlist":\(try WireText(encoding: waitlist))}
                """
        )
    }
}

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
