import Foundation
import TestSupport
import Wallet

extension WalkDriver {
    /// Makes the booking queue decide bookings and cancellations as one batch, in the given order.
    func performTogether(_ steps: [WalkStep]) async throws -> [WalkAnswer] {
        let results = try await self.database.together(steps.map(self.request))
        var answers: [WalkAnswer] = []
        for result in results {
            answers.append(try await WalkAnswer(catching: { .receipt(try result.get()) }))
        }
        return answers
    }

    private func request(_ step: WalkStep) -> @Sendable () async throws -> BookingResult {
        let wallet = self.database.wallet
        switch step {
        case .book(let new, let key, let idempotencyKey):
            let user = self.user(key.user)
            return { try await wallet.book(new, for: user, in: key.environment, key: idempotencyKey) }
        case .cancel(let booking, let key):
            let user = self.user(key.user)
            let id = booking.flatMap { self.names.bookingIDs[$0] } ?? UUID()
            return { try await wallet.cancel(id, for: user, in: key.environment) }
        default: preconditionFailure("only bookings and cancellations form batches")
        }
    }
}
