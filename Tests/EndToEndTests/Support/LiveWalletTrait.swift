import Foundation
import Testing

/// Gives a suite a running `credit-wallet dev` of its own, which all its tests share, and stops it afterwards.
struct LiveWalletTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let wallet = try await LiveWallet.start()
        do {
            try await LiveWallet.$scoped.withValue(wallet) { try await function() }
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
}

extension Trait where Self == IssueHandlingTrait {
    /// Shows what the instance printed last with every failure.
    static var showingLog: Self {
        .compactMapIssues { issue in
            guard let wallet = LiveWallet.scoped else { return issue }
            var issue = issue
            issue.comments.append("credit-wallet dev printed last: \(wallet.program.output.suffix(2_000))")
            return issue
        }
    }
}
