import Foundation
import Hummingbird
import StoreSync
import Stores
package import Wallet

/// Grants purchases to the caller from proofs of purchase.
///
/// - `POST /receipts` (user)
struct ReceiptRoutes {
    let wallet: Wallet
    let intake: PurchaseIntake
    let limiter: UserRateLimiter

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("receipts", use: self.submit)
    }

    @Sendable
    private func submit(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ReceiptAnswer> {
        try await self.limiter.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let result = try await self.intake.submit(
                submission.proof(),
                naming: submission.transactionID,
                for: context.caller
            )
            let environment = WalletEnvironment(result.verified.environment)
            let holdings = try await self.wallet.holdings(of: context.user, in: environment)
            return ReceiptAnswer(
                outcomes: result.outcomes,
                unreadable: result.verified.unreadable,
                subscriptions: holdings.subscriptions,
                balance: holdings.balance,
                environment: environment
            )
        }
    }
}

/// The result for each transaction of a receipt.
package struct ReceiptAnswer: Encodable, Sendable {
    /// A transaction that was granted to the caller.
    struct Granted: Encodable, Sendable {
        let transactionID: String
        @Nullable var productID: String?
        @Nullable var unit: CreditUnit?
        let amount: Int64
        @Nullable var lotID: UUID?
        /// All lots that the purchase granted; a bundle grants several.
        let lots: [PurchaseLot]
        let duplicate: Bool

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit, amount
            case lotID = "lot_id"
            case lots, duplicate
        }
    }

    /// A transaction that was not granted to the caller, with the reason.
    struct Skipped: Encodable, Sendable {
        @Nullable var transactionID: String?
        let reason: String

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case reason
        }
    }

    let granted: [Granted]
    let skipped: [Skipped]
    let subscriptions: [Subscription]
    /// The balance after the receipt, in the same form as in a booking's response.
    let balance: BalanceSummary
    let environment: WalletEnvironment
    /// The transactions that the app may finish, because a later submission would not change their result.
    let finish: [String]

    init(
        outcomes: [FactOutcome],
        unreadable: [VerifiedReceipt.SkippedTransaction],
        subscriptions: [Subscription],
        balance: BalanceSummary,
        environment: WalletEnvironment
    ) {
        self.granted = outcomes.filter { $0.verdict == .granted }.map(Granted.init)
        self.skipped =
            outcomes.filter { $0.verdict == .skipped }.map(Skipped.init)
            + unreadable.map { Skipped(transactionID: $0.transactionID, reason: $0.reason.rawValue) }
        self.subscriptions = subscriptions
        self.balance = balance
        self.environment = environment
        self.finish = Self.finished(outcomes)
    }

    /// Returns each transaction whose products are all decided permanently, once; the app may finish these
    /// transactions.
    package static func finished(_ outcomes: [FactOutcome]) -> [String] {
        var passedOver = Set(outcomes.filter { !Self.isFinal($0) }.map(\.transactionID))
        return outcomes.map(\.transactionID).filter { passedOver.insert($0).inserted }
    }

    private static func isFinal(_ outcome: FactOutcome) -> Bool {
        switch outcome.verdict {
        case .granted: true
        case .skipped: outcome.reason.map(Self.finalReasons.contains) ?? false
        }
    }

    /// The reasons that decide a transaction permanently.
    ///
    /// Excluded are transactions that may still be granted later: a pending payment, a blocked account, or a product
    /// missing in the catalogue. Also excluded is a token mismatch, because another user of the same device may own the
    /// purchase. A finished consumable leaves the receipt and cannot be sent again.
    private static let finalReasons: Set<String> = [
        "before-cutover", "family-shared", "refunded", "sandbox-refused", "transaction-already-claimed",
    ]
}

extension ReceiptAnswer.Granted {
    init(_ outcome: FactOutcome) {
        self.init(
            transactionID: outcome.transactionID,
            productID: outcome.productID,
            unit: outcome.unit,
            amount: outcome.amount,
            lotID: outcome.lotID,
            lots: outcome.lots,
            duplicate: outcome.duplicate
        )
    }
}

extension ReceiptAnswer.Skipped {
    init(_ outcome: FactOutcome) {
        self.init(transactionID: outcome.transactionID, reason: outcome.reason ?? "skipped")
    }
}
