import Foundation

@testable import Wallet

extension WalkDriver {
    /// Sends steps to the booking queue while it is held, one after the other, and lets it decide them as one group.
    func performTogether(_ steps: [WalkStep]) async throws -> [WalkAnswer] {
        let queue = self.database.wallet.bookings
        // Performing changes nothing of the driver.
        nonisolated(unsafe) let driver = self
        queue.hold()
        return try await withThrowingTaskGroup(of: (Int, WalkAnswer).self) { group in
            for (number, step) in steps.enumerated() {
                group.addTask { (number, try await driver.perform(step)) }
                // Their order of arrival is theirs in the model.
                while queue.depth <= number { try await Task.sleep(for: .microseconds(200)) }
            }
            queue.release()
            var answers: [Int: WalkAnswer] = [:]
            for try await (number, answer) in group { answers[number] = answer }
            return steps.indices.compactMap { answers[$0] }
        }
    }
}
