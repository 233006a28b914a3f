import Foundation
import Hummingbird
import Wallet

/// The parts of the function `bookings` that return bookings.
///
/// - `GET /functions/v1/bookings/my-bookings` (user)
/// - `GET /functions/v1/bookings/upcoming` (user)
/// - `GET /functions/v1/bookings/history` (user)
/// - `GET /functions/v1/bookings/{id}` (user)
struct BookingListFunctions {
    let wallet: Wallet
    let desk: SupabaseResponder

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("bookings/my-bookings", use: self.mine)
        group.get("bookings/upcoming") { try await self.list(.upcoming, $0, $1) }
        group.get("bookings/history") { try await self.list(.history, $0, $1) }
        group.get("bookings/:id", use: self.one)
    }

    @Sendable
    private func mine(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> Response {
        let selection: BookingSelection
        switch try request.query("status") {
        case nil: selection = .all
        case "confirmed": selection = .standing
        case "completed": selection = .completed
        case "cancelled": selection = .cancelled
        case "waitlisted":
            return try await self.waiting(request, context).response(from: request, context: context)
        // Booking states of the apps that do not exist in the wallet.
        case "pending", "no_show", "refunded":
            let part = try OffsetQuery.page(request)
            _ = try request.walletEnvironmentIfSent()
            return try self.desk.answer([BookingRow](), of: 0, part, context).response(from: request, context: context)
        case let text?:
            let names = ["pending", "confirmed", "cancelled", "completed", "no_show", "waitlisted", "refunded"]
            throw Problem.parameter("status", "must be \(AllowedValues(names: names))", Received(text))
        }
        return try await self.list(selection, request, context).response(from: request, context: context)
    }

    private func waiting(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[WaitingRow]>> {
        let part = try OffsetQuery.page(request)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let places = try await self.wallet.waitlist(of: context.user, in: environment)
        let rows = places.dropFirst(part.request.offset).prefix(part.request.limit)
        return self.desk.answer(rows.map { WaitingRow($0, of: context.user) }, of: places.count, part, context)
    }

    private func list(
        _ selection: BookingSelection,
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[BookingRow]>> {
        let part = try OffsetQuery.page(request)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let found = try await self.wallet.timedBookings(
            of: context.user,
            in: environment,
            selection,
            part: part.request
        )
        return self.desk.answer(found.items.map { BookingRow($0, of: context.user) }, of: found.total, part, context)
    }

    @Sendable
    private func one(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<BookingRow>> {
        // The paths of `create` and `cancel` also match the pattern of a booking's path.
        if ["create", "cancel"].contains(context.parameters.get("id")) { throw Problem.methodNotAllowed([.post]) }
        let id = try context.parameters.bookingID()
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let timed = try await self.wallet.timedBooking(id, of: context.user, in: environment)
        return self.desk.answer(BookingRow(timed, of: context.user), context)
    }
}
