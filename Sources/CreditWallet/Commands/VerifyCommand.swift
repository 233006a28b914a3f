import ArgumentParser
import Logging
import Postgres
import Wallet

/// `credit-wallet verify`: looks whether the books are intact.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every invariant of the books.",
        discussion: """
            Connects with DATABASE_URL; a member of wallet_auditor may run it. Prints one line for each thing that is \
            broken, with environment, account and ledger version, and exits 1 if there is any, 78 where there are no books.
            """
    )

    @Flag(
        help: """
            Look at the accounts in parts, with its progress on standard error, so that no transaction is long; and \
            hash every ledger entry again outside the database as well.
            """
    )
    var deep = false

    @Flag(help: "Print one JSON object: intact, and violations with their invariant, environment, account and version.")
    var json = false

    func run() async throws {
        let configuration = PoolConfiguration.books(url: try await Settings.loadForCommand().required(.databaseURL))
        var logger = Logger(label: "verify")
        // What keeps it from the database is said once, by the error that it ends with.
        logger.logLevel = .error
        try await DatabaseDoor(configuration: configuration.connection, logger: logger).requireOpen()
        let pool = Pool(configuration: configuration, logger: logger)
        do {
            try await DatabaseChecks(wallet: Wallet(pool: pool), pool: pool, logger: logger).requireBooks()
            try await self.verify(Wallet(pool: pool))
            await pool.close()
        } catch {
            await pool.close()
            throw CommandError.explaining(error)
        }
    }

    private func verify(_ wallet: Wallet) async throws {
        let violations = self.deep ? try await self.deepViolations(wallet) : try await wallet.violations()
        if self.json {
            print(try CommandJSON.text(VerifyReport(intact: violations.isEmpty, violations: violations.map(\.row))))
        } else {
            for violation in violations { print(violation.line) }
        }
        guard violations.isEmpty else {
            throw CommandError(.failed, "The books are broken in \(violations.count) places.")
        }
        if !self.json { print("The books are intact.") }
    }

    private func deepViolations(_ wallet: Wallet) async throws -> [Violation] {
        let meter = ProgressMeter("verify", of: "accounts")
        defer { meter.end() }
        let violations = try await wallet.violations(byAccounts: 2_000) { done, total in
            meter.show(Int(done), of: Int(total))
        }
        return violations + (try await wallet.rehashedViolations())
    }
}

private struct VerifyReport: Encodable {
    struct Row: Encodable {
        let invariant: String
        let environment: String?
        let accountID: Int64?
        let version: Int64?
        let detail: String
    }

    let intact: Bool
    let violations: [Row]
}

extension Violation {
    fileprivate var row: VerifyReport.Row {
        VerifyReport.Row(
            invariant: self.invariant,
            environment: self.environment?.rawValue,
            accountID: self.accountID,
            version: self.version,
            detail: self.detail
        )
    }
}
