import NIOHTTP1

extension LoadStaging {
    private struct Reason: Encodable, Sendable {
        let reason = "load test is over"
    }

    /// The number of seconds after which a user is deleted even with many bookings.
    private static let longestWait = 600

    /// Cancels the classes and deletes the users, which also removes the bookings and the remaining credits.
    ///
    /// - Parameter meter: The meter that shows the progress.
    /// - Returns: The objects that could not be removed, such as `3 users (503 wallet-busy)`.
    /// - Throws: `CancellationError` if the task is cancelled.
    func remove(_ meter: ProgressMeter) async throws -> [String] {
        let made = self.made
        let total = made.classes + made.users
        // Cancel the classes first: this returns every booking in full.
        let classes = try await self.remove("classes", made.classes, meter, total) { number in
            let id = self.classID(number)
            return try await self.calls.send(
                .POST,
                "/operator/classes/\(id)/cancel",
                token: self.operatorToken,
                key: "\(id)-cancel",
                body: Reason()
            )
        }
        let users = try await self.remove("users", made.users, meter, total) { number in
            let token = try await self.issuer.token(for: self.subject(number))
            try await self.awaitFewBookings(of: token)
            return try await self.calls.send(.DELETE, "/account", token: token)
        }
        return classes + users
    }

    /// Waits until the service has returned most of a user's bookings of cancelled classes.
    ///
    /// A deletion cancels the remaining bookings in one transaction. With thousands of bookings, it would exceed the
    /// statement timeout, and meanwhile it would block the service from returning them.
    private func awaitFewBookings(of token: String) async throws {
        for _ in 0..<Self.longestWait {
            let path = "/bookings?status=upcoming&limit=100"
            guard try await self.calls.send(.GET, path, token: token).hasMore else { return }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Removes objects and continues after failures, which it counts by their response.
    private func remove(
        _ things: String,
        _ count: Int,
        _ meter: ProgressMeter,
        _ total: Int,
        _ removal: @escaping @Sendable (Int) async throws -> StagingCalls.Answer
    ) async throws -> [String] {
        let refusals = try await Self.inParallel(count) { number -> String? in
            defer { meter.advance(of: total) }
            do {
                let answer = try await removal(number)
                return answer.isSuccess || answer.status == 404 ? nil : answer.name
            } catch {
                try Task.checkCancellation()
                return "no response"
            }
        }
        let counts = refusals.compactMap(\.self).reduce(into: [:]) { counts, name in counts[name, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) \(things) (\($0.key))" }
    }
}
