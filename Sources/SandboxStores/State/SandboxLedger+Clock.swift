import Foundation

extension SandboxLedger {
    /// How often a move of the clock may renew at most.
    static let mostRenewals = 2_000

    /// What a move of the clock needs of the stores.
    struct ClockMove: Sendable {
        let seconds: Int
        /// Whether what comes due on the way renews, ends or resumes by itself.
        let renews: Bool
        /// Whether Google Play pays back what nobody acknowledged.
        let refundsUnacknowledged: Bool
        /// Notifies the wallet of what happened; of each step before the next one.
        let notify: @Sendable ([SandboxEvent]) async -> Void
    }

    /// Moves the clock forward and does on the way what the stores do by themselves; moves that come at once happen
    /// one after the other.
    /// - Parameter move: how far, and what happens on the way.
    /// - Throws: what keeps the other clock from moving; this one then stands where both were last together.
    func advanceClock(_ move: ClockMove) async throws {
        let previous = self.lastMove
        let task = Task {
            _ = await previous?.result
            let target = self.offsetSeconds + move.seconds
            if move.renews { try await self.carryOutDue(until: target, move) }
            try await self.setClock(target)
            if move.refundsUnacknowledged { await move.notify(try self.refundUnacknowledged()) }
        }
        self.lastMove = task
        try await task.value
    }

    private func carryOutDue(until target: Int, _ move: ClockMove) async throws {
        var left: Set<String> = []
        var renewals = 0
        while renewals < Self.mostRenewals {
            let end = self.machineTime + Double(target)
            guard let due = self.state.nextDue(until: end, leaving: left) else { return }
            try await self.setClock(self.offset(for: due, atMost: target))
            if move.refundsUnacknowledged {
                let refunds = try self.refundUnacknowledged()
                await move.notify(refunds)
                guard refunds.isEmpty else { continue }
            }
            do {
                await move.notify(try self.carryOut(due).happenings)
                renewals += 1
            } catch is ControlRefusal {
                // Somebody else was faster, or the product is gone: the subscription stays as it is.
                left.insert(due.originalID)
            }
        }
    }

    /// The offset at which a step's time has come; a clock never goes back.
    private func offset(for due: DueStep, atMost target: Int) -> Int {
        let exact = due.at.timeIntervalSince(self.machineTime)
        let wanted = due.isAhead ? exact.rounded(.down) : exact.rounded(.up)
        return min(max(self.offsetSeconds, Int(wanted)), max(self.offsetSeconds, target))
    }

    private func carryOut(_ due: DueStep) throws -> ControlOutcome {
        switch due.kind {
        case .renew: try self.renew(due.originalID)
        case .expire: try self.expire(due.originalID)
        case .endGrace: try self.endGrace(due.originalID)
        case .beginPause: try self.pause(due.originalID, days: nil)
        case .endPause: try self.resume(due.originalID)
        }
    }
}
