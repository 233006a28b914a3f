import Foundation
import Logging
import ServiceLifecycle
import StoreSync
import Stores
import Wallet

/// The service's background jobs.
struct BackgroundJobs: Sendable {
    private static let batch = 100
    private static let sumBatch = 5_000
    private static let dropBatch = 1_000
    private static let classesARound = 100
    private static let bookingsABatch = 100
    private static let batchesARound = 50
    private static let longestDrop: Duration = .seconds(30)
    private static let reconciledDays: Double = 90

    let wallet: Wallet
    let inbox: Inbox
    let acknowledger: Acknowledger?
    let dispatcher: EventDispatcher?
    let reconciler: Reconciler
    var history: NotificationHistory?
    let configuration: WorkConfiguration
    let logger: Logger

    /// The jobs that are enabled.
    var rounds: [PeriodicJob] {
        [
            self.rounds("expiries", self.configuration.sweepInterval, self.sweep),
            self.rounds("warnings", self.warningInterval, self.warn),
            self.rounds("subscriptions", self.configuration.sweepInterval, self.announce),
            self.rounds("unlimited plans", self.configuration.sweepInterval, self.endCover),
            self.rounds("waitlists", self.configuration.studioInterval, self.promote),
            self.rounds("classes", self.configuration.studioInterval, self.settle),
            self.rounds("series", self.configuration.studioInterval, self.extend),
            self.rounds("messages", self.configuration.workInterval, self.takeIn),
            self.rounds("events", self.dispatcher == nil ? nil : self.configuration.workInterval, self.send),
            self.rounds("daily sums", self.configuration.sumsInterval, self.sum),
            self.rounds("reports", self.configuration.reportsInterval, self.report),
            self.rounds("leftovers", self.configuration.workInterval.map { max($0, .seconds(60)) }, self.tidy),
            self.reconciliations,
            self.missedNotifications,
        ].compactMap { $0 }
    }

    private func rounds(
        _ name: String,
        _ interval: Duration?,
        _ work: @escaping @Sendable () async throws -> Void
    ) -> PeriodicJob? {
        interval.map { PeriodicJob(name: name, interval: $0, logger: self.logger, work: work) }
    }

    @Sendable
    private func sweep() async throws {
        while try await self.wallet.sweep(limit: Self.batch) == Self.batch, !Task.isCancelled {}
    }

    private var warningInterval: Duration? {
        self.configuration.warnings.areEnabled ? self.configuration.sweepInterval : nil
    }

    @Sendable
    private func warn() async throws {
        let thresholds = self.configuration.warnings
        while try await self.wallet.warn(thresholds, limit: Self.batch) == Self.batch, !Task.isCancelled {}
    }

    @Sendable
    private func announce() async throws {
        while try await self.wallet.sweepSubscriptions(limit: Self.batch) == Self.batch, !Task.isCancelled {}
    }

    @Sendable
    private func endCover() async throws {
        while try await self.wallet.endUnlimited(limit: Self.batch) == Self.batch, !Task.isCancelled {}
    }

    /// Gives freed seats to the waitlists, class by class; a class that fails does not delay the others.
    @Sendable
    private func promote() async throws {
        for seats in try await self.wallet.classesToPromote(limit: Self.classesARound) where !Task.isCancelled {
            do {
                try await self.promoteAll(seats)
            } catch {
                guard !Task.isCancelled else { return }
                self.logger.warning(
                    "freed seats could not be given to a waitlist",
                    error: error,
                    metadata: ["class_id": "\(seats.classID)", "environment": "\(seats.environment.rawValue)"]
                )
            }
        }
    }

    private func promoteAll(_ seats: ClassSeats) async throws {
        while !Task.isCancelled {
            switch try await self.wallet.promoteNext(seats) {
            case .booked, .skipped: continue
            case .busy, .done: return
            }
        }
    }

    /// Settles bookings of cancelled and moved classes in small batches, so that other bookings are not blocked.
    @Sendable
    private func settle() async throws {
        for _ in 0..<Self.batchesARound where !Task.isCancelled {
            guard try await self.wallet.settleClasses(limit: Self.bookingsABatch) > 0 else { return }
        }
    }

    /// Creates the next classes of all series.
    @Sendable
    private func extend() async throws {
        while try await self.wallet.extendSeries(limit: Self.batch) > 0, !Task.isCancelled {}
    }

    @Sendable
    private func takeIn() async throws {
        while try await self.inbox.work(limit: Self.batch) == Self.batch, !Task.isCancelled {}
        try await self.acknowledger?.work(limit: Self.batch)
    }

    @Sendable
    private func send() async throws {
        try await self.dispatcher?.sendDue()
    }

    @Sendable
    private func sum() async throws {
        while try await self.wallet.sumDays(limit: Self.sumBatch) == Self.sumBatch, !Task.isCancelled {}
    }

    @Sendable
    private func report() async throws {
        try await self.wallet.refreshReports()
    }

    @Sendable
    private func tidy() async throws {
        try await self.drop {
            try await self.wallet.dropOldEvents(olderThan: self.configuration.eventsKeptDays, limit: $0)
        }
        try await self.drop {
            try await self.wallet.dropQuarantined(olderThan: self.configuration.quarantineKeptDays, limit: $0)
        }
        var step = PartitionStep.changed
        while step == .changed, !Task.isCancelled {
            step = try await self.wallet.keepPartitions(days: self.configuration.eventsKeptDays)
        }
        if step == .inTheWay {
            self.logger.notice("partition maintenance was blocked by a long transaction; retrying in a minute")
        }
    }

    /// Deletes rows in batches until none are left, or until the time for other cleanups has come.
    private func drop(_ batch: (Int) async throws -> Int) async throws {
        let start = ContinuousClock.now
        while try await batch(Self.dropBatch) == Self.dropBatch, start.duration(to: .now) < Self.longestDrop,
            !Task.isCancelled
        {}
    }

    /// The first reconciliation waits for one interval, so that an instance that restarts repeatedly sends no requests
    /// to the stores.
    private var reconciliations: PeriodicJob? {
        var rounds = self.rounds("reconciliation", self.configuration.reconcileInterval, self.reconcile)
        rounds?.delay = self.configuration.reconcileInterval ?? .zero
        return rounds
    }

    /// Compares purchases that a store reported in the last 90 days or that are still running.
    @Sendable
    private func reconcile() async throws {
        let since = try await self.wallet.now().addingTimeInterval(-Self.reconciledDays * 86_400)
        let report = try await self.reconciler.run(
            ReconciliationRequest(since: since, maximumGrants: self.configuration.reconcileMaximumGrants)
        )
        self.log(report)
    }

    private func log(_ report: ReconciliationReport) {
        for finding in report.differences {
            self.logger.warning(
                "reconciliation found a difference",
                metadata: [
                    "difference": "\(finding.difference.rawValue)",
                    "account_id": "\(finding.accountID.map(String.init) ?? "none")",
                    "store": "\(finding.store)", "environment": "\(finding.environment.rawValue)",
                    "transaction_id": "\(finding.transactionID)", "product_id": "\(finding.storeProductID)",
                ]
            )
        }
        self.logger.log(
            level: report.needsConfirmation ? .error : .info,
            report.needsConfirmation
                ? "reconciliation needs confirmation: run credit-wallet reconcile --confirm"
                : "reconciliation finished",
            metadata: [
                "compared": "\(report.compared)", "differences": "\(report.differences.count)",
                "repaired": "\(report.repaired)", "unreachable": "\(report.unreachable)",
            ]
        )
    }

    /// The first round waits ten seconds, so that an instance that crashes immediately sends no requests to the store.
    private var missedNotifications: PeriodicJob? {
        let interval = self.history == nil ? nil : self.configuration.historyInterval
        var rounds = self.rounds("missed notifications", interval, self.catchUp)
        rounds?.delay = .seconds(10)
        return rounds
    }

    @Sendable
    private func catchUp() async throws {
        try await self.history?.work()
    }
}

/// The intervals and limits of the background jobs; a job without an interval does not run.
struct WorkConfiguration: Sendable {
    var sweepInterval: Duration?
    var sumsInterval: Duration?
    var reportsInterval: Duration?
    var studioInterval: Duration?
    var workInterval: Duration?
    var reconcileInterval: Duration?
    var historyInterval: Duration?
    var reconcileMaximumGrants = ReconciliationRequest().maximumGrants
    var eventsKeptDays = 30
    var quarantineKeptDays = 90
    var warnings = WarningThresholds()
    /// The endpoint of events; nil if no events are sent.
    var events: EventEndpoint?
}

/// Runs a job repeatedly until the service stops.
///
/// Several instances may run the same job concurrently. A failed round is repeated in the next interval.
struct PeriodicJob: Service {
    let name: String
    let interval: Duration
    /// The delay of the first round after the start.
    var delay: Duration = .zero
    let logger: Logger
    let work: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard await Self.pause(self.delay) else { return }
            repeat { await self.round() } while await Self.pause(self.interval)
        }
    }

    /// Waits; returns `false` if the service stops in the meantime.
    private static func pause(_ duration: Duration) async -> Bool {
        try? await Task.sleep(for: duration)
        return !Task.isCancelled
    }

    private func round() async {
        do {
            try await self.work()
        } catch {
            // An interruption by a shutdown is not a failure.
            guard !Task.isCancelled else { return }
            self.logger.warning("a round of background work failed", error: error, metadata: ["work": "\(self.name)"])
        }
    }
}
