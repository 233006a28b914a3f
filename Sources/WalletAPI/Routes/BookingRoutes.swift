import Foundation
import HTTPTypes
import Hummingbird
package import Wallet

/// Books classes, cancels bookings, and checks members in.
///
/// The database checks the user's admission in the same call.
///
/// - `POST /bookings` (user), with `?dry_run=true` for a quote without a booking
/// - `POST /bookings/{id}/cancel`, `DELETE /bookings/{id}` (user)
/// - `POST /bookings/{id}/check-in` (user)
struct BookingRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("bookings", use: self.create)
        group.post("bookings/:id/cancel", use: self.cancel)
        group.delete("bookings/:id", use: self.cancel)
        group.post("bookings/:id/check-in", use: self.checkIn)
    }

    @Sendable
    private func create(_ request: Request, _ context: UserRequestContext) async throws -> Response {
        if try request.isDryRun() {
            try await self.wallet.admit(context.caller)
            _ = try request.idempotencyKeyIfSent()
            let booking = try await request.json(BookingRequest.self).checked()
            let environment = try await self.wallet.environment(of: context.user, in: request)
            let quote = try await self.wallet.quote(booking, for: context.caller, in: environment)
            return try JSONAnswer(quote).response(from: request, context: context)
        }
        let (environment, key, booking) = try await self.admitting(context.caller) {
            (
                try await self.wallet.environment(of: context.user, in: request), try request.idempotencyKey(),
                try await request.json(BookingRequest.self).checked()
            )
        }
        let receipt = try await self.wallet.book(
            booking,
            for: context.caller,
            in: environment,
            key: key,
            id: context.bookingID
        )
        return self.answer(receipt).response(from: request, context: context)
    }

    /// Reads a request.
    ///
    /// If the account no longer exists, throws 401 even for a malformed request.
    private func admitting<Value>(_ caller: Caller, _ read: () async throws -> Value) async throws -> Value {
        do {
            return try await read()
        } catch let error as WalletError where error.status >= 500 {
            // The database does not answer, so asking it for the account would only take more time.
            throw error
        } catch {
            try await self.wallet.admit(caller)
            throw error
        }
    }

    /// Creates the response.
    ///
    /// A replay has status 200 and the field `Idempotent-Replayed`, and creates no booking.
    private func answer(_ receipt: BookingResult) -> WireAnswer {
        if receipt.replayed { return WireAnswer(json: receipt.json(), headers: [.idempotentReplayed: "true"]) }
        let location = "/bookings/\(receipt.booking.bookingID.wireText)"
        return WireAnswer(json: receipt.json(), status: .created, headers: [.location: location])
    }

    @Sendable
    private func cancel(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let (id, environment) = try await self.admitting(context.caller) {
            (try context.parameters.bookingID(), try await self.wallet.environment(of: context.user, in: request))
        }
        return WireAnswer(json: try await self.wallet.cancel(id, for: context.caller, in: environment).json())
    }

    @Sendable
    private func checkIn(_ request: Request, _ context: UserRequestContext) async throws -> WireAnswer {
        let (id, environment) = try await self.admitting(context.caller) {
            (try context.parameters.bookingID(), try await self.wallet.environment(of: context.user, in: request))
        }
        let booking = try await self.wallet.checkIn(id, for: context.caller, in: environment)
        return WireAnswer(json: "{\"booking\":\(booking.json())}")
    }
}

extension BookingRequest {
    /// Refuses members of the correct type whose values no booking can have.
    package func checked() throws -> BookingRequest {
        guard ClassID.isValid(self.classID) else {
            throw Problem.member("class_id", "must be 1 to 64 of A-Z a-z 0-9 . _ : -", Received(self.classID))
        }
        try BookingWish(seats: self.seats, payWith: self.payWith, maxAmount: self.maxAmount).check()
        return self
    }
}

/// The members that a booking and a waitlist entry share.
struct BookingWish {
    private static let largestAmount: Int64 = 1_000_000_000

    let seats: Int
    let payWith: String?
    let maxAmount: Int64?

    func check() throws {
        guard (1...100).contains(self.seats) else {
            throw Problem.member("seats", "must be a whole number from 1 to 100", Received(self.seats))
        }
        if let amount = self.maxAmount, !(0...Self.largestAmount).contains(amount) {
            throw Problem.member(
                "max_amount",
                "must be a whole number from 0 to \(Self.largestAmount)",
                Received(amount)
            )
        }
        if let payWith = self.payWith, !Self.isMeans(payWith) {
            throw Problem.member("pay_with", "must be unlimited, visits, credits or a lot's id", Received(payWith))
        }
    }

    private static func isMeans(_ payWith: String) -> Bool {
        ["unlimited", "visits", "credits"].contains(payWith) || UUID(uuidString: payWith) != nil
    }
}

extension BookingResult {
    /// The receipt as JSON.
    func json() -> WireText {
        """
        {"balance":{"credits":\(self.balance.credits),"version":\(self.balance.version),\
        "visits":\(self.balance.visits)},"booking":\(self.booking.json())}
        """
    }
}

extension Booking {
    /// The booking as JSON, in every response that contains a booking.
    func json() -> WireText {
        """
        {"amount":\(self.amount),"attendance":\(self.attendance),"booking_id":\(self.bookingID),\
        "cancellation":{"free_minutes_before":\(self.cancellation.freeMinutesBefore),\
        "free_until":\(self.cancellation.freeUntil)},"cancelled_at":\(self.cancelledAt),\
        "cancelled_by":\(self.cancelledBy),"class_id":\(self.classID),"class_title":\(self.classTitle),\
        "confirmation_code":\(self.confirmationCode),"created_at":\(self.createdAt),"fee":\(self.fee),\
        "from_waitlist":\(self.fromWaitlist),"late_cancel":\(self.lateCancel),"moved":\(self.moved),\
        "returned":\(self.returned.map { $0.json() } ?? "null"),"seats":\(self.seats),\
        "slices":\(list: self.slices, { $0.json() }),"starts_at":\(self.startsAt),"status":\(self.status),\
        "strike":\(self.strike),"unit":\(self.unit?.rawValue)}
        """
    }
}

extension Booking.Returned {
    fileprivate func json() -> WireText {
        "{\"amount\":\(self.amount),\"unit\":\(self.unit?.rawValue)}"
    }
}

extension LotSlice {
    fileprivate func json() -> WireText { "{\"amount\":\(self.amount),\"lot_id\":\(self.lotID)}" }
}
