import Foundation
import HTTPTypes
import Hummingbird
import Wallet

/// Books classes and cancels bookings.
///
/// The database checks the user's admission in the same call.
///
/// - `POST /bookings` (user), with `?dry_run=true` for a quote without a booking
/// - `POST /bookings/{id}/cancel`, `DELETE /bookings/{id}` (user)
struct BookingRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("bookings", use: self.create)
        group.post("bookings/:id/cancel", use: self.cancel)
        group.delete("bookings/:id", use: self.cancel)
    }

    @Sendable
    private func create(_ request: Request, _ context: UserRequestContext) async throws -> Response {
        if try request.isDryRun() {
            try await self.wallet.admit(context.caller)
            _ = try request.idempotencyKeyIfSent()
            let booking = try await request.json(NewBooking.self).checked()
            let environment = try await self.wallet.environment(of: context.user, in: request)
            let quote = try await self.wallet.quote(booking, for: context.caller, in: environment)
            return try JSONAnswer(quote).response(from: request, context: context)
        }
        let (environment, key, booking) = try await self.admitting(context.caller) {
            (
                try await self.wallet.environment(of: context.user, in: request), try request.idempotencyKey(),
                try await request.json(NewBooking.self).checked()
            )
        }
        let receipt = try await self.wallet.book(
            booking,
            for: context.caller,
            in: environment,
            key: key,
            id: context.bookingID
        )
        return try self.answer(receipt).response(from: request, context: context)
    }

    /// Reads a request.
    ///
    /// If the account no longer exists, throws 401 even for a malformed request.
    private func admitting<Value>(_ caller: Caller, _ read: () async throws -> Value) async throws -> Value {
        do {
            return try await read()
        } catch {
            try await self.wallet.admit(caller)
            throw error
        }
    }

    /// Creates the response.
    ///
    /// A replay has status 200 and the field `Idempotent-Replayed`, and creates no booking.
    private func answer(_ receipt: BookingReceipt) -> BookingAnswer {
        if receipt.replayed { return BookingAnswer(receipt: receipt, headers: [.idempotentReplayed: "true"]) }
        let location = "/bookings/\(receipt.booking.bookingID.wireText)"
        return BookingAnswer(receipt: receipt, status: .created, headers: [.location: location])
    }

    @Sendable
    private func cancel(_ request: Request, _ context: UserRequestContext) async throws -> BookingAnswer {
        let (id, environment) = try await self.admitting(context.caller) {
            (try context.parameters.bookingID(), try await self.wallet.environment(of: context.user, in: request))
        }
        return BookingAnswer(receipt: try await self.wallet.cancel(id, for: context.caller, in: environment))
    }
}
