import Hummingbird
import Wallet

/// Returns the classes and their free seats; no token is required.
///
/// - `GET /classes` (public)
/// - `GET /classes/{id}` (public)
struct ClassRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("classes", use: self.list)
        group.get("classes/:id", use: self.one)
    }

    @Sendable
    private func list(
        _ request: Request,
        _ context: AppRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<ClassSession>> {
        let page = try await self.wallet.classes(in: request.walletEnvironment(), page: request.page())
        return JSONAnswer(PagedAnswer("classes", page))
    }

    @Sendable
    private func one(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<ClassSession> {
        let environment = try request.walletEnvironment()
        return JSONAnswer(try await self.wallet.classSession(context.parameters.knownClassID(), in: environment))
    }
}

/// Creates, changes and cancels classes for operators.
///
/// - `PUT /operator/classes/{id}` (operator)
/// - `POST /operator/classes/{id}/cancel` (operator)
struct OperatorClassRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.put("operator/classes/:id", use: self.putClass)
        group.post("operator/classes/:id/cancel", use: self.cancelClass)
    }

    @Sendable
    private func putClass(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ClassSession> {
        guard let id = context.parameters.classID() else {
            throw Problem.malformed(
                "A class's id must be 1 to 64 of A-Z a-z 0-9 . _ : -; received "
                    + "\(Received(context.parameters.get("id") ?? ""))."
            )
        }
        let environment = try request.walletEnvironment()
        let key = try request.idempotencyKeyOrNew()
        let definition = try await request.json(ClassDefinition.self).checked()
        let session = try await self.wallet.putClass(id, definition, by: context.actor, key: key, in: environment)
        return JSONAnswer(session)
    }

    @Sendable
    private func cancelClass(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ClassSession> {
        let id = try context.parameters.knownClassID()
        let environment = try request.walletEnvironment()
        let key = try request.idempotencyKey()
        let reason = try await request.json(ClassCancellation.self, mayBeEmpty: true).checkedReason()
        return JSONAnswer(
            try await self.wallet.cancelClass(id, reason: reason, by: context.actor, key: key, in: environment)
        )
    }
}

extension ClassDefinition {
    /// Refuses members of the correct type whose values no class can have.
    func checked() throws -> ClassDefinition {
        try OperatorText.check(self.title, "title", upTo: 200)
        guard self.startsAt < self.endsAt else {
            throw Problem.member(
                "ends_at",
                "must be later than \"starts_at\", \(WireJSON.text(self.startsAt))",
                Received(WireJSON.text(self.endsAt))
            )
        }
        guard (0...100_000).contains(self.capacity) else {
            throw Problem.member("capacity", "must be 0 to 100000", Received(self.capacity))
        }
        guard self.price.credits != nil || self.price.visits != nil else {
            throw Problem.member("price", "must set credits, visits or both")
        }
        for (name, amount) in [("credits", self.price.credits), ("visits", self.price.visits)] {
            guard let amount, !(1...1_000_000).contains(amount) else { continue }
            throw Problem.member("price.\(name)", "must be 1 to 1000000", Received(amount))
        }
        if let policy = self.cancellation, !(0...525_600).contains(policy.freeMinutesBefore) {
            throw Problem.member(
                "cancellation.free_minutes_before",
                "must be 0 to 525600",
                Received(policy.freeMinutesBefore)
            )
        }
        try self.limits?.check()
        if let policy = self.waitlist, !(0...525_600).contains(policy.cutoffMinutes) {
            throw Problem.member("waitlist.cutoff_minutes", "must be 0 to 525600", Received(policy.cutoffMinutes))
        }
        return self
    }
}

extension ClassLimits {
    /// Refuses limits that are out of range.
    fileprivate func check() throws {
        let bounds: [(name: String, value: Int?, range: ClosedRange<Int>)] = [
            ("max_seats", self.maxSeats, 1...100),
            ("days_ahead", self.daysAhead, 0...3_660),
            ("opens_minutes_before", self.opensMinutesBefore, 0...5_270_400),
            ("closes_minutes_before", self.closesMinutesBefore, 0...525_600),
            ("max_overlaps", self.maxOverlaps, 0...100),
        ]
        for (name, value, range) in bounds {
            guard let value, !range.contains(value) else { continue }
            let rule = "must be \(range.lowerBound) to \(range.upperBound)"
            throw Problem.member("limits.\(name)", rule, Received(value))
        }
        if let opens = self.opensMinutesBefore, let closes = self.closesMinutesBefore, opens <= closes {
            throw Problem.member(
                "limits.opens_minutes_before",
                "must be more than \"limits.closes_minutes_before\", \(closes)",
                Received(opens)
            )
        }
    }
}

/// The body of an operator's request to cancel a class.
struct ClassCancellation: Decodable {
    let reason: String

    /// Returns the reason after checking that it has 1 to 500 characters.
    func checkedReason() throws -> String {
        try OperatorText.check(self.reason, "reason", upTo: 500)
        return self.reason
    }
}
