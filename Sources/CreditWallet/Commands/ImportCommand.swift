import ArgumentParser
import Foundation
import Logging
import Postgres
import Stores
import Wallet

/// `credit-wallet import`: imports balances from another system.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take over balances of another system, once.",
        discussion: """
            Connects with DATABASE_URL, as the owner or a superuser. Without --apply nothing is changed, and the report \
            says what would be. With it each user is imported in a transaction of their own; run again, it goes on \
            where it was stopped. What was imported before is left alone. No store grants what it sold before the \
            cut-over any more: the balances hold it. Exits 1 when something was refused, or differs from what was \
            imported. Standard error shows how far it is. deploy/import.md has the whole way.
            """
    )

    @Option(
        help: "A CSV file with the columns user_id, credits and, if there, visits, at, reason.",
        completion: .file(extensions: ["csv"])
    )
    var csv: String?

    @Option(
        help: "A directory with user_credits.csv and credit_transactions.csv, exports of those tables.",
        completion: .directory
    )
    var hobbyappCsv: String?

    @Option(help: "The database with the tables user_credits and credit_transactions; it is only read.")
    var hobbyappDatabase: String?

    @Option(help: "What the other system is called; a user is imported once from each.")
    var source: String

    @Option(help: "When the other system stopped (2026-11-21T00:00:00Z): what was sold since counts by itself.")
    var cutOver: String

    @Option(help: "Whose wallets: production or sandbox.", completion: .list(["production", "sandbox"]))
    var environment = "production"

    @Option(help: "When what is left of the balances lapses: never, or an instant.")
    var expires = "never"

    @Option(help: "Multiply credits by this, where the other system has fractions of one.")
    var scale: Int64 = 1

    @Option(help: "What stands before each user id, as the issuer of tokens is configured.")
    var userPrefix = ""

    @Flag(help: "Import; without it, only report.")
    var apply = false

    @Flag(help: "Report as JSON.")
    var json = false

    @Option(help: "Into which one of WALLETS; required where they are set.")
    var wallet: String?

    func validate() throws {
        guard [self.csv, self.hobbyappCsv, self.hobbyappDatabase].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Give one of --csv, --hobbyapp-csv and --hobbyapp-database.")
        }
        guard (1...100).contains(self.source.count) else {
            throw ValidationError("--source must have 1 to 100 characters.")
        }
        guard (1...1_000_000).contains(self.scale) else {
            throw ValidationError("--scale must be from 1 to 1000000.")
        }
        guard WalletEnvironment(rawValue: self.environment) != nil else {
            throw ValidationError("--environment must be production or sandbox.")
        }
    }

    func run() async throws {
        let cutOver = try RFC3339(option: "--cut-over", self.cutOver).date
        let expiresAt = self.expires == "never" ? nil : try RFC3339(option: "--expires", self.expires).date
        var configuration = PoolConfiguration(
            url: try await Settings.loadForCommand().of(self.wallet).required(.databaseURL)
        )
        configuration.maximumConnections = 1
        var logger = Logger(label: "import")
        logger.logLevel = .warning
        let pool = Pool(configuration: configuration, logger: logger)
        let wallet = Wallet(pool: pool)
        do {
            try await DatabaseChecks(wallet: wallet, pool: pool, logger: logger).requireUsableSchema()
            guard try await wallet.mayImport() else {
                throw CommandError(.configuration, "DATABASE_URL must be that of the owner or a superuser to import.")
            }
            let batch = try await self.read(cutOver, logger)
            let importer = Importer(
                wallet: wallet,
                source: self.source,
                environment: WalletEnvironment(rawValue: self.environment) ?? .production,
                cutOver: cutOver,
                expiresAt: expiresAt,
                isDryRun: !self.apply
            )
            let report = try await self.run(importer, batch)
            await pool.close()
            try self.printReport(report)
        } catch {
            await pool.close()
            throw CommandError.explaining(error)
        }
    }

    private func run(_ importer: Importer, _ batch: ImportBatch) async throws -> ImportReport {
        let meter = ProgressMeter(self.apply ? "import" : "import, dry run", of: "users")
        defer { meter.end() }
        return try await importer.run(batch, meter)
    }

    private func read(_ cutOver: Date, _ logger: Logger) async throws -> ImportBatch {
        guard let instant = ImportInstant(cutOver.formatted(.iso8601)) else {
            throw ValidationError("--cut-over must be an instant such as 2026-11-21T00:00:00Z.")
        }
        let rules = ImportBatch.Rules(scale: self.scale, userPrefix: self.userPrefix, cutOver: instant)
        if let csv = self.csv { return try ImportBatch(balances: csv, rules) }
        if let directory = self.hobbyappCsv { return try ImportBatch(hobbyApp: directory, rules) }
        let database = try await HobbyAppDatabase(url: self.hobbyappDatabase ?? "", logger: logger)
        return try ImportBatch(database, rules)
    }

    private func printReport(_ report: ImportReport) throws {
        print(self.json ? try report.json() : report.description)
        guard report.isDryRun || report.isCutOverSet else {
            let rows = report.read == 0 ? "The source holds no row" : "No row can be imported; see the report"
            throw CommandError(.failed, "\(rows), so the cut-over was not set.")
        }
        guard report.isComplete else {
            let refused = report.isDryRun ? "would be refused" : "refused"
            throw CommandError(.failed, "\(report.refused) \(refused), \(report.changed) changed; see the report.")
        }
    }
}

extension RFC3339 {
    /// Parses the value of an option.
    ///
    /// - Throws: `ValidationError` for an invalid text or an instant that does not exist.
    init(option name: String, _ text: String) throws {
        guard let instant = RFC3339(text) else {
            throw ValidationError(
                "\(name) must be an instant that exists, such as 2026-11-21T00:00:00Z; received "
                    + "\(ImportRefusal.quoted(text))."
            )
        }
        self = instant
    }
}
