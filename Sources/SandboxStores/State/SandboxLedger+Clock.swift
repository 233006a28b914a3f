import Foundation

extension SandboxLedger {
    /// The maximum number of automatic steps in one move of the clock.
    static let mostRenewals = 2_000

    /// The parameters of a move of the clock.
    struct ClockMove: Sendable {
        let seconds: Int
        /// A Boolean value that indicates whether due subscriptions renew, end or resume automatically.
        let renews: Bool
        /// A Boolean value that indicates whether Google Play refunds purchases that were not acknowledged in time.
        let refundsUnacknowledged: Bool
        /// Sends the notifications of the events; called for each step before the next one.
        let notify: @Sendable ([SandboxEvent]) async -> Void
    }

    /// Advances the clock and performs the automatic steps that become due; concurrent moves are performed one after
    /// the other.
    /// - Parameter move: The distance and the options.
    /// - Throws: The error that keeps the other clock from moving; this clock then stays at the last common time.
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
                // The step was already performed or the product no longer exists; the subscription stays unchanged.
                left.insert(due.originalID)
            }
        }
    }

    /// Returns the offset at which a step is due; the clock never moves back.
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
