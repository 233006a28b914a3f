import Foundation
import Wallet

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
