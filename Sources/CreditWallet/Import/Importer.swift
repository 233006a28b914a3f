import CommandOutput
import Foundation
import Wallet

/// Imports the rows of a source, each user in a separate transaction, so that an interrupted import can be repeated.
struct Importer {
    let wallet: Wallet
    let source: String
    let environment: WalletEnvironment
    let cutOver: Date
    let expiresAt: Date?
    let isDryRun: Bool

    /// Sets the cut-over and imports the rows.
    ///
    /// If no row can be imported, it only creates the report.
    ///
    /// - Parameters:
    ///   - batch: The rows.
    ///   - meter: The meter that shows the progress.
    /// - Returns: The report.
    /// - Throws: ``CommandError`` if a store has already granted purchases that the balances contain; `WalletError` if
    ///   the database is unavailable. Users that were imported before an error stay imported.
    func run(_ batch: ImportBatch, _ meter: ProgressMeter) async throws -> ImportReport {
        var report = ImportReport(
            source: self.source,
            environment: self.environment,
            cutOver: self.cutOver,
            isDryRun: self.isDryRun
        )
        if self.isDryRun || batch.holdsBalances {
            report.stores = try await self.setCutOver()
            report.isCutOverSet = !self.isDryRun
        }
        for row in batch.rows {
            switch row.content {
            case .failure(let refusal): report.refuse(row, refusal.reason)
            case .success(let balance): try await self.take(balance, row, &report)
            }
            meter.advance(of: batch.rows.count)
        }
        return report
    }

    private func take(_ balance: ImportedBalance, _ row: ImportBatch.Row, _ report: inout ImportReport) async throws {
        do {
            let outcome = try await self.wallet.importBalance(
                balance,
                from: self.source,
                into: self.environment,
                expiresAt: self.expiresAt,
                isDryRun: self.isDryRun
            )
            report.add(row, balance, outcome)
        } catch {
            guard let refusal = error as? WalletError, refusal.status < 500 else { throw error }
            report.refuse(row, refusal.slug)
        }
    }

    private func setCutOver() async throws -> [StoreCutOver] {
        do {
            return try await self.wallet.setCutOver(self.cutOver, in: self.environment, isDryRun: self.isDryRun)
        } catch {
            guard let refusal = error as? WalletError else { throw error }
            switch refusal.slug {
            case "already-granted": throw CommandError(.failed, Self.explanation(refusal))
            case "cut-over-ahead":
                throw CommandError(.failed, "The cut-over is in the future. Import after the other system has stopped.")
            default: throw refusal
            }
        }
    }

    /// Returns a message with the stores that have already granted purchases, and the next step.
    private static func explanation(_ refusal: WalletError) -> String {
        struct Members: Decodable {
            struct Store: Decodable {
                let store: String
                let purchases: Int
            }
            let stores: [Store]
        }
        let members = try? JSONDecoder().decode(Members.self, from: Data((refusal.membersJSON ?? "").utf8))
        let stores = (members?.stores ?? []).map { "\($0.store) \($0.purchases)" }.joined(separator: ", ")
        return
            "Purchases from before the cut-over were already granted (\(stores)); the imported balances would contain "
            + "them twice. Nothing was imported. Set --cut-over to the instant from which this wallet has granted."
    }
}

/// The result of an import or of a dry run.
struct ImportReport: Encodable {
    /// A user or line that needs the operator's attention.
    struct Item: Encodable {
        let result: ImportOutcome.Result
        let userID: String?
        let line: Int?
        let reason: String?
    }

    let source: String
    let environment: WalletEnvironment
    let cutOver: Date
    let isDryRun: Bool
    /// A Boolean value that indicates whether the cut-over was set.
    ///
    /// A dry run and a source without importable rows do not set it.
    var isCutOverSet = false
    var stores: [StoreCutOver] = []
    /// The number of users and lines that were read.
    var read = 0
    var imported = 0
    var unchanged = 0
    var changed = 0
    var refused = 0
    /// The number of ledger entries that the import posted.
    var entries = 0
    /// The number of imports whose history did not add up to the balance.
    var repaired = 0
    /// The number of imports into wallets that already had entries, so that their history was not imported.
    var inUse = 0
    /// The sum of the source's balances, without refused users.
    var stated = ImportTotals()
    /// The sum of these users' balances in the wallets before the import.
    var before = ImportTotals()
    /// The sum of these users' balances in the wallets after the import.
    var after = ImportTotals()
    /// The users and lines that changed, were refused, or were imported with a remark.
    var items: [Item] = []

    init(source: String, environment: WalletEnvironment, cutOver: Date, isDryRun: Bool) {
        self.source = source
        self.environment = environment
        self.cutOver = cutOver
        self.isDryRun = isDryRun
    }

    /// A Boolean value that indicates whether every row was imported or would be imported.
    var isComplete: Bool { self.changed == 0 && self.refused == 0 }

    mutating func refuse(_ row: ImportBatch.Row, _ reason: String) {
        self.read += 1
        self.refused += 1
        self.items.append(Item(result: .refused, userID: row.user, line: row.line, reason: reason))
    }

    mutating func add(_ row: ImportBatch.Row, _ balance: ImportedBalance, _ outcome: ImportOutcome) {
        guard outcome.result != .refused else { return self.refuse(row, outcome.reason ?? "refused") }
        self.stated += ImportTotals(credits: balance.credits, visits: balance.visits)
        self.before += outcome.before
        self.after += outcome.after
        self.entries += outcome.entries
        self.read += 1
        switch outcome.result {
        case .imported: self.imported += 1
        case .unchanged: self.unchanged += 1
        default: self.changed += 1
        }
        if outcome.reason == "balance-repaired" { self.repaired += 1 }
        if outcome.reason == "wallet-in-use" { self.inUse += 1 }
        if outcome.result == .changed || outcome.reason != nil {
            self.items.append(
                Item(result: outcome.result, userID: row.user, line: row.line, reason: outcome.reason)
            )
        }
    }

    /// Returns the report as JSON.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// Formats the report as text.
///
/// The lines of a dry run are in the conditional, so that they are not mistaken for completed changes.
extension ImportReport: CustomStringConvertible {
    var description: String {
        let lines = self.items.map(self.line) + self.stores.map(self.line)
        return (lines + (self.isDryRun ? self.plans : self.deeds)).joined(separator: "\n")
    }

    private func line(_ item: Item) -> String {
        let result =
            switch item.result {
            case .imported where self.isDryRun: "would import"
            case .refused where self.isDryRun: "would refuse"
            default: item.result.rawValue
            }
        return [
            "\(result):", item.line.map { "line \($0):" },
            item.userID.map { "user \(ImportRefusal.plain($0, upTo: .max)):" },
            item.reason ?? "the source differs from the imported balance",
        ].compactMap(\.self).joined(separator: " ")
    }

    private func line(_ store: StoreCutOver) -> String {
        let (from, before) = (store.grantsFrom.formatted(.iso8601), store.before.formatted(.iso8601))
        return self.isDryRun
            ? "purchases of \(store.store) would grant credits from \(from) instead of \(before)"
            : "purchases of \(store.store) now grant credits from \(from) instead of \(before)"
    }

    private var deeds: [String] {
        [
            "\(self.read) read, \(self.imported) imported, \(self.unchanged) unchanged, \(self.changed) changed, "
                + "\(self.refused) refused; \(self.entries) entries",
            "\(self.repaired) histories completed, \(self.inUse) skipped because the wallet was already in use",
            "source: \(self.stated.text); wallets before: \(self.before.text); after: \(self.after.text)",
        ]
    }

    private var plans: [String] {
        [
            "\(self.read) read: would import \(self.imported) and refuse \(self.refused), with \(self.unchanged) unchanged "
                + "and \(self.changed) changed; would post \(self.entries) entries",
            "would complete \(self.repaired) histories, and skip \(self.inUse) because the wallet is already in use",
            "source: \(self.stated.text); wallets now: \(self.before.text); would become: \(self.after.text)",
            "Dry run: nothing was changed.",
        ]
    }
}

extension ImportTotals {
    fileprivate var text: String { "\(self.credits) credits, \(self.visits) visits" }
}
