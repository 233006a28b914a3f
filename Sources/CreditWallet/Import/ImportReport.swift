import Foundation
import Wallet

/// What an import did, or would do.
struct ImportReport: Encodable {
    /// A user, or a line, of which there is something to say.
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
    /// Whether the cut-over was set, which a dry run and a source without a row to import leave as it is.
    var isCutOverSet = false
    var stores: [StoreCutOver] = []
    /// Users and lines read.
    var read = 0
    var imported = 0
    var unchanged = 0
    var changed = 0
    var refused = 0
    /// How many ledger entries that made.
    var entries = 0
    /// Imports whose history did not sum up to the balance.
    var repaired = 0
    /// Imports into wallets that already had entries, and so without their history.
    var inUse = 0
    /// What the source says that its users have, those who were refused aside.
    var stated = ImportTotals()
    /// What those users' wallets held before.
    var before = ImportTotals()
    /// What they hold after.
    var after = ImportTotals()
    /// What was changed, refused or could not be taken over as it was.
    var items: [Item] = []

    init(source: String, environment: WalletEnvironment, cutOver: Date, isDryRun: Bool) {
        self.source = source
        self.environment = environment
        self.cutOver = cutOver
        self.isDryRun = isDryRun
    }

    /// Whether everything that was read is in the wallets, or would be.
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

    /// The report as JSON.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
