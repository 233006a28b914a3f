import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import Foundation
import Logging
import Postgres
import StoreSync
import Stores
import Wallet
import WalletAPI

/// `credit-wallet reconcile`: compares the ledger with the stores, and repairs differences.
struct ReconcileCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Compare purchases and subscriptions with the stores, and repair differences.",
        discussion: """
            Queries each enabled store for every purchase, prints one line for each difference and repairs it. If more \
            than RECONCILE_MAXIMUM_GRANTS grants are missing, it repairs them only with --confirm. A second run finds \
            no differences. Exits with 1 while differences remain or if a store did not respond. With WALLETS, it \
            reconciles each wallet.
            """
    )

    @Option(help: "Compare only this user's purchases.")
    var user: String?

    @Option(
        help: "Compare only purchases reported since this instant or still running after it (2026-11-21T00:00:00Z)."
    )
    var since: String?

    @Flag(help: "Repair any number of missing grants.")
    var confirm = false

    @Flag(help: "Only report the differences; repair nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object instead of lines.")
    var json = false

    @OptionGroup
    var wallets: WalletsOption

    func run() async throws {
        let settings = try await Settings.loadForCommand(defaults: [.logLevel: "warning"])
        let logger = Logger.bootstrapped(level: try Logger.Level(reader: settings))
        try await self.wallets.forEach(settings) { try await self.run($0, logger) }
    }

    private func run(_ settings: Settings, _ logger: Logger) async throws {
        let request = try self.request(settings)
        let stores = try StoresConfiguration(reader: settings)
        let calls = HTTPClient.Configuration.outgoing(within: try EgressPolicy(reader: settings), logger: logger)
        var database = try PoolConfiguration(reader: settings)
        database.maximumConnections = 2
        try await DatabaseDoor(configuration: database.connection, logger: logger).requireOpen()
        let pool = Pool(configuration: database, logger: logger)
        let wallet = Wallet(pool: pool)
        do {
            try await DatabaseChecks(wallet: wallet, pool: pool, logger: logger).requireUsableSchema()
            let report = try await HTTPClient.withHTTPClient(configuration: calls) { httpClient in
                let clients = try StoreClients(stores, httpClient: httpClient, logger: logger, clock: { Date() })
                let reconciler = Reconciler(wallet: wallet, stores: clients, logger: logger)
                return try await reconciler.run(request)
            }
            try await wallet.recordReconciliation(repairing: report.repaired, of: request.user, by: nil)
            await pool.close()
            try self.printReport(report, WalletPrinter(settings))
        } catch {
            await pool.close()
            throw CommandError.explaining(error)
        }
    }

    private func request(_ settings: Settings) throws -> ReconciliationRequest {
        ReconciliationRequest(
            user: self.user.map(UserID.init),
            since: try self.since.map { try RFC3339(option: "--since", $0).date },
            maximumGrants: try settings.reconcileMaximumGrants(),
            isConfirmed: self.confirm,
            isDryRun: self.dryRun
        )
    }

    private func printReport(_ report: ReconciliationReport, _ printer: WalletPrinter) throws {
        if self.json {
            print(try CommandJSON.text(ReconcileReport(report, of: printer.wallet)))
        } else {
            Self.printLines(report, printer)
        }
        if report.needsConfirmation {
            throw CommandError(
                .failed,
                "Nothing was repaired: more than RECONCILE_MAXIMUM_GRANTS grants are missing. Run again with --confirm."
            )
        }
        guard report.repaired == report.differences.count, report.unreachable == 0 else {
            throw CommandError(.failed, "Differences remain, or a store did not respond. Run again later.")
        }
    }

    private static func printLines(_ report: ReconciliationReport, _ printer: WalletPrinter) {
        for finding in report.differences {
            let account = finding.accountID.map(String.init) ?? "none"
            printer.print(
                "\(finding.difference.rawValue): \(finding.environment.rawValue) account \(account) "
                    + "\(finding.store) \(finding.transactionID) \(finding.storeProductID)"
            )
        }
        printer.print(
            "\(report.compared) compared, \(report.differences.count) differences, \(report.repaired) repaired, "
                + "\(report.unreachable) store calls failed"
        )
    }
}

private struct ReconcileReport: Encodable {
    struct Row: Encodable {
        let difference: String
        let environment: String
        let accountID: Int64?
        let store: String
        let transactionID: String
        let storeProductID: String
    }

    let wallet: String?
    let compared: Int
    let differences: [Row]
    let repaired: Int
    let unreachable: Int
    let needsConfirmation: Bool

    init(_ report: ReconciliationReport, of wallet: String?) {
        self.wallet = wallet
        self.compared = report.compared
        self.differences = report.differences.map { finding in
            Row(
                difference: finding.difference.rawValue,
                environment: finding.environment.rawValue,
                accountID: finding.accountID,
                store: finding.store,
                transactionID: finding.transactionID,
                storeProductID: finding.storeProductID
            )
        }
        self.repaired = report.repaired
        self.unreachable = report.unreachable
        self.needsConfirmation = report.needsConfirmation
    }
}
