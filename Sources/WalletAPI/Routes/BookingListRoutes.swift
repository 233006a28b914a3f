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
    }

    func addAdmitted(to group: some RouterMethods<UserRequestContext>) {
        group.get("bookings/:id", use: self.one)
    }

    @Sendable
    private func list(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let (filter, wanted) = (try request.bookingFilter(), try request.page())
        let page = try await self.wallet.bookings(of: context.caller, in: environment, filter: filter, page: wanted)
        let waitlist =
            page.isWaiting && wanted.showsWaitlist(filter)
            ? try await self.wallet.waitlist(of: context.user, in: environment) : []
        return try page.bookings.answer(waitlist)
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
    /// Returns the page of a user's bookings that an operator's request selects, together with the waitlist.
    func bookings(
        of user: UserID,
        in environment: WalletEnvironment,
        asked request: Request
    ) async throws -> WireAnswer {
        let (filter, wanted) = (try request.bookingFilter(), try request.page())
        let page = try await self.bookings(of: user, in: environment, filter: filter, page: wanted)
        return try page.answer(wanted.showsWaitlist(filter) ? await self.waitlist(of: user, in: environment) : [])
    }
}

extension PageRequest {
    /// The waitlist precedes all bookings, so only the first page contains it.
    fileprivate func showsWaitlist(_ filter: BookingFilter?) -> Bool {
        self.cursor == nil && (filter == nil || filter == .upcoming)
    }
}

extension Page<Booking> {
    /// Returns the page together with the waitlist: `{"bookings": […], "next_cursor": null, "waitlist": […]}`.
    fileprivate func answer(_ waitlist: [WaitlistPlace]) throws -> WireAnswer {
        WireAnswer(
            json: """
                {"bookings":\(list: self.items, { $0.json() }),"next_cursor":\(self.nextCursor),\
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
