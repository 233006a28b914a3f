import Foundation

extension SandboxLedger {
    /// Pauses a Google Play subscription from the end of the paid period, or from now if that has passed.
    /// - Parameters:
    ///   - originalID: The subscription.
    ///   - days: The number of days after which it resumes automatically; nil for an open end.
    /// - Returns: The newest period.
    /// - Throws: ``ControlRefusal`` for an App Store subscription, which cannot be paused, or an ended one.
    func pause(_ originalID: String, days: Int?) throws -> ControlOutcome {
        try self.actOnChain(originalID) { _, chain, newest, now in
            guard newest.store == .googlePlay else {
                throw ControlRefusal.conflict("The App Store does not support pauses.")
            }
            guard chain.expiredReason == nil else { throw ControlRefusal.conflict("The subscription has ended.") }
            let start = chain.pausedAt ?? max(newest.expiresAt ?? now, now)
            chain.pausedAt = start
            if let days { chain.resumesAt = start + Double(days) * 86_400 }
            chain.hasReportedPause = start <= now
            return Deed(newest, start > now ? .pausePlanned : .paused)
        }
    }

    /// Ends a pause with a new period; cancels a pause that has not begun.
    func resume(_ originalID: String) throws -> ControlOutcome {
        try self.actOnChain(originalID) { state, chain, newest, now in
            guard let pausedAt = chain.pausedAt else {
                throw ControlRefusal.conflict("The subscription is not paused.")
            }
            guard pausedAt <= now else {
                chain.pausedAt = nil
                chain.resumesAt = nil
                chain.hasReportedPause = nil
                return Deed(newest, .pauseCalledOff)
            }
            return try self.follow(newest, from: now, as: .resumed, in: &state, &chain, at: now)
        }
    }
}
