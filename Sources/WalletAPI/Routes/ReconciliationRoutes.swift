import Foundation
import Hummingbird
import StoreSync
import Wallet

/// Compares the ledger with the stores at an operator's request.
///
/// - `POST /operator/reconcile` (operator), with `?dry_run=true` to report without repairs
struct ReconciliationRoutes {
    let wallet: Wallet
    let reconciler: Reconciler
    let maximumGrants: Int

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.post("operator/reconcile", use: self.reconcile)
    }

    @Sendable
    private func reconcile(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ReconciliationAnswer> {
        // The operation is idempotent; the key is required because every operator's write requires one.
        _ = try request.idempotencyKey()
        let wanted = try await request.json(Wanted.self)
        try await self.wallet.check(context.actor, may: "reconcile")
        let user = wanted.userID.map(UserID.init)
        let report = try await self.reconciler.run(
            ReconciliationRequest(
                user: user,
                since: wanted.since,
                maximumGrants: self.maximumGrants,
                isConfirmed: wanted.confirm ?? false,
                isDryRun: try request.isDryRun()
            )
        )
        try await self.wallet.recordReconciliation(repairing: report.repaired, of: user, by: context.actor)
        return JSONAnswer(ReconciliationAnswer(report))
    }

    private struct Wanted: Decodable {
        let userID: String?
        let since: Date?
        let confirm: Bool?

        private enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case since, confirm
        }
    }
}

/// The results of a comparison, as the API returns them.
private struct ReconciliationAnswer: Encodable, Sendable {
    /// A store's transaction whose grant or refund was missing in the ledger.
    struct Finding: Encodable, Sendable {
        let difference: String
        let store: String
        let environment: WalletEnvironment
        let transactionID: String
        let storeProductID: String

        enum CodingKeys: String, CodingKey {
            case difference, store, environment
            case transactionID = "transaction_id"
            case storeProductID = "store_product_id"
        }
    }

    let compared: Int
    let differences: [Finding]
    let repaired: Int
    let unreachable: Int
    let needsConfirmation: Bool

    enum CodingKeys: String, CodingKey {
        case compared, differences, repaired, unreachable
        case needsConfirmation = "needs_confirmation"
    }

    init(_ report: ReconciliationReport) {
        self.compared = report.compared
        self.differences = report.differences.map { finding in
            Finding(
                difference: finding.difference.rawValue,
                store: finding.store,
                environment: finding.environment,
                transactionID: finding.transactionID,
                storeProductID: finding.storeProductID
            )
        }
        self.repaired = report.repaired
        self.unreachable = report.unreachable
        self.needsConfirmation = report.needsConfirmation
    }
}
