import HTTPTypes
import Hummingbird
import Wallet

/// Adds users to the waitlists of full classes and removes them; `GET /bookings` returns their entries.
///
/// - `POST /classes/{id}/waitlist` (user)
/// - `DELETE /classes/{id}/waitlist` (user)
struct WaitlistRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("classes/:id/waitlist", use: self.join)
        group.delete("classes/:id/waitlist", use: self.leave)
    }

    @Sendable
    private func join(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<WaitlistResult> {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let id = try context.parameters.knownClassID()
        let wanted = try await request.json(WaitlistRequest.self, mayBeEmpty: true).checked()
        let receipt = try await self.wallet.joinWaitlist(wanted, of: id, for: context.caller, in: environment)
        return JSONAnswer(receipt, status: receipt.isNew ? .created : .ok)
    }

    @Sendable
    private func leave(_ request: Request, _ context: UserRequestContext) async throws -> HTTPResponse.Status {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let id = try context.parameters.knownClassID()
        try await self.wallet.leaveWaitlist(of: id, for: context.caller, in: environment)
        return .noContent
    }
}

extension WaitlistRequest {
    /// Refuses members of the correct type whose values no waitlist entry can have.
    func checked() throws -> WaitlistRequest {
        try BookingWish(seats: self.seats, payWith: self.payWith, maxAmount: self.maxAmount).check()
        return self
    }
}
