@testable import Wallet

extension WalkDatabase {
    /// Submits requests to the booking queue while it is held, in this order, and then lets it decide them as one
    /// batch.
    func together(
        _ requests: [@Sendable () async throws -> BookingResult]
    ) async throws -> [Result<BookingResult, WalletError>] {
        let queue = self.wallet.bookings.batches
        queue.hold()
        return try await withThrowingTaskGroup(of: (Int, Result<BookingResult, WalletError>).self) { group in
            // Requests of a cancelled task still wait in the queue, and the batch waits for them.
            defer { queue.release() }
            for (number, request) in requests.enumerated() {
                group.addTask {
                    do {
                        return (number, .success(try await request()))
                    } catch let error as WalletError {
                        return (number, .failure(error))
                    }
                }
                while queue.depth <= number { try await Task.sleep(for: .microseconds(200)) }
            }
            queue.release()
            var results: [Int: Result<BookingResult, WalletError>] = [:]
            for try await (number, result) in group { results[number] = result }
            return requests.indices.compactMap { results[$0] }
        }
    }
}
