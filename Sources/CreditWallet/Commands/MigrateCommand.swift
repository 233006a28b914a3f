import ArgumentParser
import CommandOutput
import Logging
import Postgres
import Wallet

/// `credit-wallet migrate`: migrates a database to this release; it never goes back.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate the database to this release.",
        discussion: """
            Connects with DATABASE_URL, as a superuser or the owner of the database; with WALLETS, to each database in \
            turn. Several migrate commands may run at the same time. serve never migrates; run migrate before it.
            """
    )

    @Flag(help: "List the migrations and whether they are applied; change nothing. Exits with 1 if any are pending.")
    var status = false

    @Flag(help: "List what would be applied; change nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object instead of lines.")
    var json = false

    @OptionGroup
    var wallets: WalletsOption

    func validate() throws {
        guard !(self.status && self.dryRun) else { throw ValidationError("--status and --dry-run exclude each other.") }
    }

    func run() async throws {
        try await self.wallets.forEach(Settings.loadForCommand()) { try await self.run($0) }
    }

    private func run(_ settings: Settings) async throws {
        let url = try settings.required(.databaseURL)
        let printer = WalletPrinter(settings)
        try await DatabaseDoor(configuration: ConnectionConfiguration(url: url), logger: self.logger).requireOpen()
        do {
            let migrator = try Migrator(files: Wallet.sqlFiles, logger: self.logger)
            if self.status {
                try await self.printStatus(migrator, url: url, printer)
            } else if self.dryRun {
                try await self.printPlan(migrator, url: url, printer)
            } else {
                try self.print(await migrator.migrate(url: url), as: "applied", printer)
            }
        } catch {
            throw CommandError.explaining(error)
        }
    }

    /// The command prints the applied migrations itself, so the log contains only warnings and errors.
    private var logger: Logger {
        var logger = Logger(label: "migrate")
        logger.logLevel = .warning
        return logger
    }

    private func printStatus(_ migrator: Migrator, url: String, _ printer: WalletPrinter) async throws {
        let connection = try await self.connect(url)
        defer { connection.close() }
        if self.json { return try await self.printStatusJSON(migrator, connection, printer) }
        for migration in try await migrator.status(on: connection) {
            let state = migration.appliedAt.map { "applied \($0)" } ?? "pending"
            printer.print("\(migration.name)  \(state)\(migration.isKnown ? "" : "  (from a newer release)")")
        }
        switch try await migrator.check(on: connection) {
        case .upToDate:
            printer.print("up to date")
        case .behind(let pending):
            throw CommandError(
                .failed,
                "behind: \(pending.count) files are pending, the first is \(pending[0]); run credit-wallet migrate"
            )
        case .repeatablesDiffer(let paths):
            throw CommandError(
                .failed,
                "behind: \(paths.count) functions or views differ, the first is \(paths[0]); run credit-wallet migrate"
            )
        case .databaseIsNewer(let breaking):
            printer.print("the database is newer than this release\(breaking ? " and incompatible with it" : "")")
        }
    }

    private func printStatusJSON(
        _ migrator: Migrator,
        _ connection: Connection,
        _ printer: WalletPrinter
    ) async throws {
        let migrations = try await migrator.status(on: connection).map { migration in
            StatusReport.Row(name: migration.name, appliedAt: migration.appliedAt, isKnown: migration.isKnown)
        }
        let check = try await migrator.check(on: connection)
        let pending: [String] =
            switch check {
            case .behind(let pending): pending
            case .repeatablesDiffer(let paths): paths
            case .upToDate, .databaseIsNewer: []
            }
        let report = StatusReport(
            wallet: printer.wallet,
            upToDate: check == .upToDate,
            pending: pending,
            migrations: migrations
        )
        Swift.print(try CommandJSON.text(report))
        guard pending.isEmpty else { throw CommandError(.failed, "behind: \(pending.count) files are pending") }
    }

    private func printPlan(_ migrator: Migrator, url: String, _ printer: WalletPrinter) async throws {
        let connection = try await self.connect(url)
        defer { connection.close() }
        try self.print(await migrator.dryRun(on: connection), as: "would apply", printer)
    }

    private func connect(_ url: String) async throws -> Connection {
        try await Connection.connect(ConnectionConfiguration(url: url), logger: self.logger)
    }

    private func print(_ report: MigrationReport, as verb: String, _ printer: WalletPrinter) throws {
        if self.json {
            let applied = AppliedReport(
                wallet: printer.wallet,
                isDryRun: self.dryRun,
                migrations: report.migrations,
                repeatables: report.repeatables.count
            )
            return Swift.print(try CommandJSON.text(applied))
        }
        for path in report.migrations { printer.print("\(verb) \(path)") }
        if !report.repeatables.isEmpty {
            printer.print("\(verb) \(report.repeatables.count) functions, views and grants")
        }
        if report.isEmpty { printer.print("nothing to apply") }
    }
}

private struct StatusReport: Encodable {
    struct Row: Encodable {
        let name: String
        let appliedAt: String?
        /// A Boolean value that indicates whether this release contains the migration; the database may be newer.
        let isKnown: Bool
    }

    let wallet: String?
    let upToDate: Bool
    let pending: [String]
    let migrations: [Row]
}

private struct AppliedReport: Encodable {
    let wallet: String?
    let isDryRun: Bool
    let migrations: [String]
    /// The number of applied functions, views and grants.
    let repeatables: Int
}
