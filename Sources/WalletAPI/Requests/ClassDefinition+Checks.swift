import Wallet

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
