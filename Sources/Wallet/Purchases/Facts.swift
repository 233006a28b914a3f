public import Foundation
import Postgres
public import Stores

extension Wallet {
    /// Applies a store's data about purchases of one user to the books; each fact is decided independently.
    ///
    /// Only store facts grant purchases. The same fact may be applied any number of times. Several facts form their own
    /// batch. A single fact that arrives while others are being applied waits for them, and then forms a batch with the
    /// other waiting facts.
    ///
    /// SQL: `functions/purchases/apply_fact.sql`, for a batch `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameters:
    ///   - facts: The store's data, in the order of application.
    ///   - caller: The user who submits the facts.
    ///   - attestedByStore: A Boolean value that indicates whether the store itself, not the caller, attests that the
    ///     purchases belong to the caller.
    /// - Returns: The decision about each fact, in order: whether the user has the grant, or the reason why not.
    /// - Throws: For the first fact that failed, ``WalletError`` 401 `unauthenticated` if the caller's token is no
    ///   longer valid; 503 `overloaded` if too many facts wait, otherwise when the database does not answer; the same
    ///   call may then be repeated. The decisions about the other facts stay in effect.
    public func apply(
        _ facts: [StoreFact],
        submittedBy caller: Caller,
        attestedByStore: Bool
    ) async throws -> [FactOutcome] {
        let items = facts.map { fact in
            attestedByStore
                ? FactItem(
                    submitter: nil,
                    statement: StoreEvent.AttributedFact(fact: fact, owners: [caller.user.rawValue])
                )
                : FactItem(submitter: caller, statement: StoreEvent.AttributedFact(fact: fact))
        }
        if items.count == 1 {
            // A single fact joins the batch of other users' facts; several facts already form a batch.
            let outcome = try await self.facts.submit(items[0]).outcome
            self.metrics.note(outcome)
            return [outcome]
        }
        let results = await self.factExecutor.decideAll(items)
        for case .success(let outcome) in results { self.metrics.note(outcome) }
        return try results.map { try $0.get() }
    }

    /// Applies a store's data about one purchase and its owner to the books.
    ///
    /// SQL: `functions/purchases/apply_fact.sql`, for a batch `functions/inbox/apply_batch.sql`.
    ///
    /// - Parameter statement: The store's data.
    /// - Returns: The decision.
    /// - Throws: ``WalletError`` 503 `overloaded` if too many facts wait, otherwise when the database does not answer;
    ///   the same call may then be repeated.
    public func apply(_ statement: StoreEvent.AttributedFact) async throws -> FactOutcome {
        try await self.facts.submit(FactItem(submitter: nil, statement: statement)).outcome
    }

    /// Returns the change that applying a store's data would make, without changing anything.
    ///
    /// SQL: `functions/purchases/compare_statement.sql`.
    ///
    /// - Parameter statement: The store's data.
    /// - Returns: The difference; `nil` for none.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func compare(_ statement: StoreEvent.AttributedFact) async throws -> Difference? {
        let differences = try await self.query(
            "SELECT wallet.compare_statement(\(json: statement)) AS difference"
        ) { row in try row.decode("difference", as: String?.self) }
        return differences.first.flatMap { $0 }.map(Difference.init(rawValue:))
    }

    /// Enables a store from an instant on; earlier purchases are recorded, but not granted.
    ///
    /// The first instant that was set stays in force.
    ///
    /// SQL: `functions/purchases/stores.sql`.
    ///
    /// - Parameters:
    ///   - store: The store's name, such as `app_store`.
    ///   - grantsFrom: The instant.
    /// - Returns: The instant in force.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    @discardableResult
    public func enableStore(_ store: String, grantsFrom: Date) async throws -> Date {
        try await self.queryOne(
            "SELECT wallet.enable_store(\(store), \(grantsFrom)) AS grants_from"
        ) { row in try row.decode("grants_from", as: Date.self) }
    }

    /// Sets who gets credits for purchases in the stores' test environments.
    ///
    /// SQL: `functions/purchases/stores.sql`.
    ///
    /// - Parameter purchases: The users.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func setSandboxPurchases(_ purchases: SandboxPurchases) async throws {
        try await self.execute("SELECT wallet.set_sandbox_purchases(\(purchases.rawValue))::text AS done")
    }
}

/// Who gets credits for purchases in the stores' test environments; the other purchases are recorded, but not granted.
public enum SandboxPurchases: String, Sendable, CaseIterable {
    /// Everybody; App Review buys in the test environment, too.
    case accept
    /// The users in `admin.testers`.
    case testers
    /// Nobody.
    case refuse
}

/// One store fact, reported by a submitter or by the store itself.
struct FactItem: BatchItem {
    /// The user who submits the fact; `nil` if the store reports it.
    let submitter: Caller?
    let statement: StoreEvent.AttributedFact

    static func batch(_ items: [FactItem]) throws -> Query {
        try """
        SELECT a.item, a.state, a.message, a.detail, (a.fact).*, (a.fact).unit::text AS unit_name
        FROM wallet.apply_batch(ARRAY(
            SELECT ROW(
                i.submitter, i.issued_at, i.is_anonymous, i.account_token, i.statement, NULL, NULL, NULL, NULL, NULL
            )::wallet.store_request
            FROM unnest(
                \(items.map { $0.submitter?.user.rawValue })::text[],
                \(items.map { $0.submitter?.issuedAt })::timestamptz[],
                \(items.map { $0.submitter?.isAnonymous })::boolean[],
                \(items.map { $0.submitter?.user.appAccountToken })::uuid[],
                \(items.map { try JSONText(encoding: $0.statement) })::jsonb[]
            ) WITH ORDINALITY AS i (submitter, issued_at, is_anonymous, account_token, statement, place)
            ORDER BY i.place
        )) AS a
        ORDER BY a.item
        """
    }

    func alone() throws -> Query {
        guard let submitter = self.submitter else {
            return try "SELECT o.*, o.unit::text AS unit_name FROM wallet.apply_statement(\(json: self.statement)) AS o"
        }
        return try """
        SELECT o.*, o.unit::text AS unit_name
        FROM wallet.apply_fact(\(accountOf: submitter), \(json: self.statement.fact)) AS o
        """
    }

    static func outcome(in row: Row) throws -> FactOutcome {
        FactOutcome(
            verdict: try row.decode("verdict", as: String.self) == "granted" ? .granted : .skipped,
            reason: try row.decode("reason"),
            duplicate: try row.decode("duplicate"),
            transactionID: try row.decode("transaction_id"),
            productID: try row.decode("product_id"),
            unit: try row.decodeUnit("unit_name"),
            amount: try row.decode("amount"),
            lotID: try row.decode("lot_id"),
            lots: try row.decodeLots()
        )
    }
}

/// The wallet's decision about one store fact.
public struct FactOutcome: Sendable, Equatable {
    /// The kind of decision.
    public enum Verdict: String, Sendable {
        /// The purchase belongs to the caller and has been granted, now or before.
        case granted
        /// Nothing was granted to the caller; see `reason`.
        case skipped
    }

    /// The kind of decision: whether the caller has the grant.
    public var verdict: Verdict
    /// The reason for a skipped fact, such as `transaction-already-claimed`, `account-token-mismatch`, `family-shared`,
    /// `pending`, `refunded`, `before-cut-over`, `unknown-product`, `period-end-unknown`.
    public var reason: String?
    /// A Boolean value that indicates whether the purchase had been granted before this call.
    public var duplicate: Bool
    /// The store's transaction id.
    public var transactionID: String
    /// The catalogue's product id, if the catalogue has the product.
    public var productID: String?
    /// The unit of the grant; `nil` for a plan without a countable grant.
    ///
    /// For a bundle, `unit`, `amount` and `lotID` are those of the first lot.
    public var unit: CreditUnit?
    /// The granted amount.
    public var amount: Int64
    /// The lot that holds the grant.
    public var lotID: UUID?
    /// All lots that the purchase granted, the first one included.
    public var lots: [PurchaseLot]
}

/// A difference between the books and a store's data.
public struct Difference: RawRepresentable, Hashable, Sendable {
    /// The name of the difference.
    public let rawValue: String

    /// Creates a difference.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A purchase was never granted.
    public static let missingGrant = Difference(rawValue: "missing_grant")
    /// A purchase was granted for a smaller quantity than was bought.
    public static let missingAmount = Difference(rawValue: "missing_amount")
    /// The store refunded a purchase, but the books do not contain the refund.
    public static let unseenRefund = Difference(rawValue: "unseen_refund")
    /// The store reversed a refund, but the books do not contain the reversal.
    public static let unseenReversal = Difference(rawValue: "unseen_reversal")
    /// A subscription's status, end or renewal differs from the books.
    public static let wrongStatus = Difference(rawValue: "wrong_status")
}
