import Logging
import Wallet

/// Jobs for cancelled and moved classes, and for freed seats.
extension BackgroundJobs {
    private static let classesARound = 100
    private static let bookingsABatch = 100
    private static let batchesARound = 50

    /// Gives freed seats to the waitlists, class by class; a class that fails does not delay the others.
    @Sendable
    func promote() async throws {
        for seats in try await self.wallet.classesToPromote(limit: Self.classesARound) where !Task.isCancelled {
            do {
                try await self.promote(seats)
            } catch {
                guard !Task.isCancelled else { return }
                self.logger.warning(
                    "freed seats could not be given to a waitlist",
                    error: error,
                    metadata: ["class_id": "\(seats.classID)", "environment": "\(seats.environment.rawValue)"]
                )
            }
        }
    }

    private func promote(_ seats: ClassSeats) async throws {
        while !Task.isCancelled {
            switch try await self.wallet.promoteNext(seats) {
            case .booked, .skipped: continue
            case .busy, .done: return
            }
        }
    }

    /// Settles bookings of cancelled and moved classes in small batches, so that other bookings are not blocked.
    @Sendable
    func settle() async throws {
        for _ in 0..<Self.batchesARound where !Task.isCancelled {
            guard try await self.wallet.settleClasses(limit: Self.bookingsABatch) > 0 else { return }
        }
    }
}
