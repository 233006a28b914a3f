import Foundation
import TestSupport
import Testing

/// Gives a suite its own running `credit-wallet dev`, which all its tests share, and stops it afterwards.
struct LiveWalletTrait: SuiteTrait, TestScoping {
    /// A Boolean value that indicates whether the stores notify the wallet of their sales automatically.
    var isAttestedByStore = true
    var options: [String] = []
    var environment: [String: String] = [:]
    /// A Boolean value that indicates whether a collector, ``Collector/scoped``, receives the spans.
    var isCollected = false

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard self.isCollected else { return try await self.perform(function, self.environment) }
        try await Collector.run { collector in
            let spans = [
                "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100",
                "OTEL_EXPORTER_OTLP_TIMEOUT": "1000",
            ]
            try await Collector.$scoped.withValue(collector) {
                try await self.perform(function, self.environment.merging(spans) { $1 })
            }
        }
    }

    private func perform(
        _ function: @Sendable () async throws -> Void,
        _ environment: [String: String]
    ) async throws {
        let wallet = try await LiveWallet.start(options: self.options, environment: environment)
        do {
            if !self.isAttestedByStore { try await wallet.store.keepQuiet() }
            try await LiveWallet.$scoped.withValue(wallet) { try await function() }
            try LogSecrets(of: wallet).expectNone()
        } catch {
            try await wallet.remove()
            throw error
        }
        try await wallet.remove()
    }
}

extension Trait where Self == LiveWalletTrait {
    /// Starts the executable for the suite.
    static var liveWallet: Self { Self() }

    /// Starts the executable with stores that post nothing; a purchase is credited when the user submits it.
    static var untoldLiveWallet: Self { Self(isAttestedByStore: false) }

    /// Starts the executable with an address for its metrics.
    static var measuredLiveWallet: Self { Self(options: ["--metrics-port", "0"]) }

    /// Starts the executable with its most detailed log, and sends spans to a collector.
    static var tracedLiveWallet: Self { Self(environment: ["LOG_LEVEL": "trace"], isCollected: true) }
}

extension Trait where Self == IssueHandlingTrait {
    /// Adds the instance's last output to every failure.
    static var showingLog: Self {
        .compactMapIssues { issue in
            guard let wallet = LiveWallet.scoped else { return issue }
            var issue = issue
            issue.comments.append("credit-wallet dev printed last: \(wallet.program.output.suffix(2_000))")
            return issue
        }
    }
}
