import ArgumentParser
import CommandOutput
import Foundation
import Logging
import Postgres
import Stores
import Wallet

/// `credit-wallet import`: imports balances from another system.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the balances of another system, once.",
        discussion: """
            Connects with DATABASE_URL, as the owner or a superuser. Without --apply, it changes nothing and only \
            reports what it would import. With --apply, it imports each user in a separate transaction. After an \
            interruption, run it again to import the remaining users; imported users stay unchanged. Purchases from \
            before the cut-over no longer grant credits, because the imported balances contain them. Exits with 1 if a \
            row was refused or differs from the imported one. Prints the progress on standard error. See \
            deploy/import.md for all steps.
            """
    )

    @Option(
        help: "A CSV file with the columns user_id and credits, and optionally visits, at, reason, name and email.",
        completion: .file(extensions: ["csv"])
    )
    var csv: String?

    @Option(
        help: "A directory with exports of the tables: user_credits.csv and credit_transactions.csv.",
        completion: .directory
    )
    var supabaseCsv: String?

    @Option(help: "The database with the tables user_credits and credit_transactions; it is only read.")
    var supabaseDatabase: String?

    @Option(help: "The name of the other system; each user is imported once per system.")
    var source: String

    @Option(
        help: "When the other system stopped (2026-11-21T00:00:00Z); purchases since then grant credits separately."
    )
    var cutOver: String

    @Option(help: "The wallets to import into: production or sandbox.", completion: .list(["production", "sandbox"]))
    var environment = "production"

    @Option(help: "When the imported balances expire: never, or an instant.")
    var expires = "never"

    @Option(help: "A factor for all credits, if the other system has fractions of a credit.")
    var scale: Int64 = 1

    @Option(help: "The prefix of each user id, as configured for the token issuer (AUTH_NAME_PREFIX).")
    var userPrefix = ""

    @Flag(help: "Import the balances; without it, only print the report.")
    var apply = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    @Option(help: "The wallet in WALLETS to import into; required if WALLETS is set.")
    var wallet: String?

    func validate() throws {
        guard [self.csv, self.supabaseCsv, self.supabaseDatabase].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Set exactly one of --csv, --supabase-csv and --supabase-database.")
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
                throw CommandError(
                    .configuration,
                    "import must connect as the owner of the database or a superuser; change the user in DATABASE_URL."
                )
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
            throw ValidationError("--cut-over must be a valid instant, such as 2026-11-21T00:00:00Z.")
        }
        let rules = ImportBatch.Rules(scale: self.scale, userPrefix: self.userPrefix, cutOver: instant)
        if let csv = self.csv { return try ImportBatch(balances: csv, rules) }
        if let directory = self.supabaseCsv { return try ImportBatch(hobbyApp: directory, rules) }
        let database = try await HobbyAppDatabase(url: self.supabaseDatabase ?? "", logger: logger)
        return try ImportBatch(database, rules)
    }

    private func printReport(_ report: ImportReport) throws {
        print(self.json ? try report.json() : report.description)
        guard report.isDryRun || report.isCutOverSet else {
            let rows = report.read == 0 ? "The source contains no rows" : "No row can be imported; see the report"
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
                "\(name) must be a valid instant, such as 2026-11-21T00:00:00Z; received "
                    + "\(ImportRefusal.quoted(text))."
            )
        }
        self = instant
    }
}
