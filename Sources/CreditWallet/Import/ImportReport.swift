import Foundation
import Wallet

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
