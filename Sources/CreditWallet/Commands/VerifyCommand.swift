import ArgumentParser
import CommandOutput
import Logging
import Postgres
import Wallet

/// `credit-wallet verify`: checks that the ledger is intact.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every invariant of the books.",
        discussion: """
            Connects with DATABASE_URL, or with WALLETS to each database, as the owner or a member of wallet_auditor. \
            Prints one line for each violation, with environment, account and ledger version. Exits with 1 if there \
            are violations, and with 69 if the database is unavailable or not migrated.
            """
    )

    @Flag(
        help: """
            Check the accounts in parts, so that no transaction is long, and print the progress on standard error. \
            Also recompute the hash of every ledger entry outside the database.
            """
    )
    var deep = false

    @Flag(help: "Print one JSON object: intact, and violations with invariant, environment, account and version.")
    var json = false

    @OptionGroup
    var wallets: WalletsOption

    func run() async throws {
        try await self.wallets.forEach(Settings.loadForCommand()) { try await self.run($0) }
    }

    private func run(_ settings: Settings) async throws {
        let configuration = PoolConfiguration.books(url: try settings.required(.databaseURL))
        var logger = Logger(label: "verify")
        // The final error reports a failed connection, so lower log levels would only repeat it.
        logger.logLevel = .error
        try await DatabaseDoor(configuration: configuration.connection, logger: logger).requireOpen()
        let pool = Pool(configuration: configuration, logger: logger)
        do {
            try await DatabaseChecks(wallet: Wallet(pool: pool), pool: pool, logger: logger).requireBooks()
            try await self.verify(Wallet(pool: pool), WalletPrinter(settings))
            await pool.close()
        } catch {
            await pool.close()
            throw CommandError.explaining(error)
        }
    }

    private func verify(_ wallet: Wallet, _ printer: WalletPrinter) async throws {
        let violations = self.deep ? try await self.deepViolations(wallet) : try await wallet.violations()
        if self.json {
            let report = VerifyReport(
                wallet: printer.wallet,
                intact: violations.isEmpty,
                violations: violations.map(\.row)
            )
            print(try CommandJSON.text(report))
        } else {
            for violation in violations { printer.print(violation.line) }
        }
        guard violations.isEmpty else {
            throw CommandError(.failed, "The books are broken: \(violations.count) violations.")
        }
        if !self.json { printer.print("The books are intact.") }
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

private struct VerifyReport: Encodable {
    struct Row: Encodable {
        let invariant: String
        let environment: String?
        let accountID: Int64?
        let version: Int64?
        let detail: String
    }

    let wallet: String?
    let intact: Bool
    let violations: [Row]
}
