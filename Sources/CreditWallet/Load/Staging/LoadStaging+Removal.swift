import NIOHTTP1

extension LoadStaging {
    private struct Reason: Encodable, Sendable {
        let reason = "load test is over"
    }

    /// Seconds until a user with many bookings is deleted all the same.
    private static let longestWait = 600

    /// Cancels the classes and deletes the users; with them go the bookings, and the credits that are left.
    ///
    /// - Parameter meter: Shows how far it is.
    /// - Returns: What could not be removed, such as `3 users (503 wallet-busy)`.
    /// - Throws: `CancellationError` once the task is cancelled.
    func remove(_ meter: ProgressMeter) async throws -> [String] {
        let made = self.made
        let total = made.classes + made.users
        // First the classes: from then on each booking is returned in full.
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

    /// Waits until the service has returned most of a user's bookings with their classes.
    ///
    /// A deletion cancels those that are left in one transaction, and thousands would take longer than a statement may;
    /// meanwhile it would keep the service from returning them.
    private func awaitFewBookings(of token: String) async throws {
        for _ in 0..<Self.longestWait {
            let path = "/bookings?status=upcoming&limit=100"
            guard try await self.calls.send(.GET, path, token: token).hasMore else { return }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Goes on after what cannot be removed, and counts it by the answer.
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
                return "no answer"
            }
        }
        let counts = refusals.compactMap(\.self).reduce(into: [:]) { counts, name in counts[name, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { "\($0.value) \(things) (\($0.key))" }
    }
}
