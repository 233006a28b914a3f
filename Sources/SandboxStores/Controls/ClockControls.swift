import Foundation
import Hummingbird
import Logging

extension SandboxStores {
    private struct ClockMove: Decodable {
        let advanceSeconds: Int
        let renew: Bool?
    }

    private struct ClockView: ResponseEncodable {
        let offsetSeconds: Int
        let now: String
    }

    private static let longestMove = 10 * 366 * 86_400

    func addClockRoutes(to router: Router<SandboxContext>) {
        router.get("sandbox/clock") { _, _ in await self.clock }
        let moves = router.group("sandbox/clock").add(middleware: CatalogueMiddleware(ledger: self.ledger))
        moves.post { request, context in
            let move = try await request.control(ClockMove.self, context)
            guard (0...Self.longestMove).contains(move.advanceSeconds) else {
                throw ControlRefusal.member(
                    "advance_seconds",
                    "must be from 0 to \(Self.longestMove), because the clock cannot move back",
                    received: "\(move.advanceSeconds)"
                )
            }
            do {
                try await self.ledger.advanceClock(
                    SandboxLedger.ClockMove(
                        seconds: move.advanceSeconds,
                        renews: move.renew ?? true,
                        // Without the Google Play part, the app cannot acknowledge purchases.
                        refundsUnacknowledged: self.play != nil,
                        notify: { happenings in await self.poster.post(happenings) }
                    )
                )
            } catch {
                context.logger.error(
                    "the clock was not moved, because the database's clock could not be moved",
                    metadata: ["error": "\(error)"]
                )
                throw ControlRefusal(
                    status: .serviceUnavailable,
                    slug: "clock-not-moved",
                    title: "The clock was not moved",
                    detail: "The database's clock could not be moved; see the log of the dev command."
                )
            }
            return await self.clock
        }
    }

    private var clock: ClockView {
        get async {
            ClockView(offsetSeconds: await self.ledger.offsetSeconds, now: await self.ledger.now.formatted(.iso8601))
        }
    }
}

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

    /// Refunds purchases that were not acknowledged within three days, as Google Play does.
    /// - Returns: The events, oldest purchase first.
    /// - Throws: An error if the state cannot be saved.
    func refundUnacknowledged() throws -> [SandboxEvent] {
        let now = self.now
        let overdue = self.state.transactions.values
            .filter { $0.isOverdue(at: now) }
            .sorted { ($0.purchasedAt, $0.id) < ($1.purchasedAt, $1.id) }
        return try overdue.flatMap { try self.refund($0.id).happenings }
    }
}

/// A step that a store performs automatically when it is due.
struct DueStep: Sendable {
    enum Kind: Sendable {
        case renew
        /// Renewal was turned off, or the store stops trying to collect the payment.
        case expire
        case endGrace
        case beginPause
        case endPause
    }

    let kind: Kind
    let at: Date
    let originalID: String

    /// A Boolean value that indicates whether the step is performed just before its time, so that the periods have no
    /// gap.
    var isAhead: Bool { self.kind == .renew }
}

extension SandboxState {
    /// Returns the next automatic step.
    /// - Parameters:
    ///   - end: The latest time of a step.
    ///   - left: The subscriptions to ignore.
    /// - Returns: The earliest step; nil if none is due until then.
    func nextDue(until end: Date, leaving left: Set<String>) -> DueStep? {
        var newest: [String: SandboxTransaction] = [:]
        for period in self.transactions.values where period.kind == .subscription && !left.contains(period.originalID) {
            let known = newest[period.originalID]
            if let known, (known.purchasedAt, known.lineItemID ?? "") > (period.purchasedAt, period.lineItemID ?? "") {
                continue
            }
            newest[period.originalID] = period
        }
        return newest.values
            .compactMap { period in self.chains[period.originalID]?.due(after: period) }
            .filter { $0.at <= end }
            .min { ($0.at, $0.originalID) < ($1.at, $1.originalID) }
    }
}

extension SandboxSubscription {
    /// Returns the next automatic step of the subscription.
    fileprivate func due(after period: SandboxTransaction) -> DueStep? {
        guard self.expiredReason == nil, !period.isUndone, !period.isPending, period.abandonedAt == nil,
            let expiresAt = period.expiresAt
        else { return nil }
        func step(_ kind: DueStep.Kind, at instant: Date) -> DueStep {
            DueStep(kind: kind, at: instant, originalID: period.originalID)
        }
        if let pausedAt {
            guard self.hasReportedPause == true else { return step(.beginPause, at: pausedAt) }
            return self.resumesAt.map { step(.endPause, at: $0) }
        }
        if self.billingIssueSince != nil {
            if let graceEndsAt, self.hasReportedGraceEnd != true { return step(.endGrace, at: graceEndsAt) }
            return step(.expire, at: max(expiresAt, self.graceEndsAt ?? expiresAt) + period.store.collectionPeriod)
        }
        return step(self.isRenewing ? .renew : .expire, at: expiresAt)
    }
}

extension SandboxStore {
    /// The time for which a store tries to collect a payment after the paid period.
    fileprivate var collectionPeriod: TimeInterval {
        switch self {
        case .appStore: 60 * 86_400
        case .googlePlay: 30 * 86_400
        }
    }
}

extension SandboxTransaction {
    static let acknowledgementPeriod = 3 * 86_400.0

    /// Returns `true` for a paid purchase that was neither refunded nor acknowledged in time; of a subscription, only
    /// the first period.
    fileprivate func isOverdue(at now: Date) -> Bool {
        guard self.store == .googlePlay, self.pendingSince == nil, self.cancelledAt == nil else { return false }
        guard self.acknowledgedAt == nil, self.consumedAt == nil, (self.renewalNumber ?? 0) == 0 else { return false }
        return self.purchasedAt + Self.acknowledgementPeriod <= now
    }

    /// A Boolean value that indicates whether the purchase was refunded because it was not acknowledged.
    var isVoidedUnacknowledged: Bool {
        guard let cancelledAt = self.cancelledAt, self.acknowledgedAt == nil, self.consumedAt == nil else {
            return false
        }
        return (self.renewalNumber ?? 0) == 0 && self.purchasedAt + Self.acknowledgementPeriod <= cancelledAt
    }
}
