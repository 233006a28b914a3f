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
