public import Foundation
import JSON
import Postgres

extension Wallet {
    /// Checks an adjustment that an operator requests, and makes it.
    ///
    /// - Parameters:
    ///   - adjustment: The adjustment.
    ///   - change: The operator, and the circumstances of the change.
    ///   - limits: The maximum amounts.
    /// - Returns: The posted adjustment and the balance after it.
    /// - Throws: ``WalletError`` 400 `malformed-request`, 403 `amount-too-large`, and the errors of
    ///   ``adjust(_:by:key:in:dryRun:shown:dailyAmount:)``.
    package func adjust(
        _ adjustment: Adjustment,
        _ change: OperatorChange,
        limits: OperatorLimits
    ) async throws -> AdjustmentResult {
        let adjustment = try adjustment.checked(in: change.environment)
        guard adjustment.amount.magnitude <= UInt64(limits.maximumAmount) else {
            throw WalletError(
                status: 403,
                slug: "amount-too-large",
                detail: "One call can add or deduct at most \(limits.maximumAmount).",
                membersJSON: JSONValue.object(["maximum": .number(Decimal(limits.maximumAmount))]).jsonText
            )
        }
        return try await self.adjust(
            adjustment,
            by: change.actor,
            key: change.key,
            in: change.environment,
            dryRun: change.dryRun,
            shown: change.preview,
            dailyAmount: limits.dailyAmount
        )
    }

    /// Adds to a wallet or deducts from it for an operator, once per reference and once per key, or reports the result
    /// of a dry run.
    ///
    /// SQL: `functions/operations/operator_adjust.sql`.
    ///
    /// - Parameters:
    ///   - adjustment: The adjustment to post.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key; `nil` for none.
    ///   - environment: The environment of the user's wallet.
    ///   - dryRun: A Boolean value that indicates whether to undo the adjustment after its result is known.
    ///   - shown: The preview from a dry run; if the wallet or the request differs from it, nothing is done. `nil`
    ///     adjusts any balance.
    ///   - dailyAmount: The maximum total that the operator may add and deduct in one day; `nil` for no maximum.
    /// - Returns: The posted adjustment and the balance after it.
    /// - Throws: ``WalletError`` 403 `right-missing` or `daily-amount-exceeded`, 404 `user-not-found`, 412
    ///   `preview-outdated`, 409 `balance-too-low` or `reference-reused`, 422 `idempotency-key-reused`,
    ///   `expiry-passed` or `gift-not-positive`, 503 when the database does not answer.
    public func adjust(
        _ adjustment: Adjustment,
        by actor: OperatorIdentity,
        key: String?,
        in environment: WalletEnvironment,
        dryRun: Bool = false,
        shown: String? = nil,
        dailyAmount: Int? = nil
    ) async throws -> AdjustmentResult {
        let source = adjustment.source == .gift ? "promo" : "adjustment"
        return try await self.queryOne(
            """
            SELECT
                a.replayed, a.lot_id, a.expires_at, a.credits, a.visits, a.version, a.before_credits, a.before_visits,
                a.preview
            FROM wallet.operator_adjust(
                \(adjustment.userID), \(environment.rawValue)::wallet.environment,
                \(adjustment.unit.rawValue)::wallet.unit, \(adjustment.amount), \(adjustment.reference),
                \(adjustment.reason), \(source), \(adjustment.expiresAt), \(actor.id.rawValue), \(key),
                \(dryRun), \(actor.right.rawValue)::wallet.operator_right, \(adjustment.newUser), \(shown),
                \(dailyAmount.map(Int64.init))
            ) AS a
            """
        ) { row in
            AdjustmentResult(
                adjustment: AdjustmentResult.Posted(
                    adjustment,
                    environment: environment,
                    lotID: try row.decode("lot_id"),
                    expiresAt: try row.decode("expires_at")
                ),
                before: AdjustmentResult.Before(
                    credits: try row.decode("before_credits"),
                    visits: try row.decode("before_visits")
                ),
                balance: try BalanceSummary(row: row),
                preview: dryRun ? try row.decode("preview") : nil,
                replayed: try row.decode("replayed")
            )
        }
    }
}

/// An operator's change of a wallet's balance.
public struct Adjustment: Decodable, Sendable, Equatable {
    /// The kind of adjustment.
    public enum Source: String, Codable, Sendable, NamedValue {
        /// A correction, up or down.
        case adjustment
        /// A gift, which may expire; its lot has the source `promo`.
        case gift
    }

    /// The owner of the wallet, as in ``Balance``.
    public var userID: String
    /// The environment of the wallet; optional, but it must match the environment of the request.
    public var environment: WalletEnvironment?
    /// The unit of the amount.
    public var unit: CreditUnit
    /// The amount; positive to add, negative to deduct.
    public var amount: Int64
    /// The reason, for the books, 1 to 500 characters.
    public var reason: String
    /// The operator's reference for this adjustment, 1 to 200 characters; a reference is posted once.
    public var reference: String
    /// The kind of adjustment; a correction by default.
    public var source: Source
    /// The time at which the remaining amount expires; `nil` for never.
    public var expiresAt: Date?
    /// A Boolean value that indicates whether the user may be unknown to the wallet; otherwise an unknown user is
    /// refused as a probable typing error.
    public var newUser: Bool

    /// Decodes an adjustment.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.userID = UserID(rawValue: try container.decode(String.self, forKey: .userID)).rawValue
        self.environment = try container.decodeIfPresent(WalletEnvironment.self, forKey: .environment)
        self.unit = try container.decode(CreditUnit.self, forKey: .unit)
        self.amount = try container.decode(Int64.self, forKey: .amount)
        self.reason = try container.decode(String.self, forKey: .reason)
        self.reference = try container.decode(String.self, forKey: .reference)
        self.source = try container.decodeIfPresent(Source.self, forKey: .source) ?? .adjustment
        self.expiresAt = try container.decodeIfPresent(Date.self, forKey: .expiresAt)
        self.newUser = try container.decodeIfPresent(Bool.self, forKey: .newUser) ?? false
    }

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case environment, unit, amount, reason, reference, source
        case expiresAt = "expires_at"
        case newUser = "new_user"
    }
}

extension Adjustment {
    /// Refuses members of the correct type whose values no adjustment can have.
    ///
    /// - Parameter environment: The request's environment. A body that names another environment is refused: an
    ///   operator who tests in the sandbox must not change real credits because a header is missing.
    /// - Returns: The adjustment.
    /// - Throws: ``WalletError`` 400 `malformed-request`.
    package func checked(in environment: WalletEnvironment) throws -> Adjustment {
        guard self.environment ?? environment == environment else {
            throw WalletError.member(
                "environment",
                "must match Wallet-Environment (production if absent)",
                self.environment.map { Received($0.rawValue) }
            )
        }
        try OperatorText.check(self.userID, "user_id", upTo: 320)
        guard self.amount != 0 else { throw WalletError.member("amount", "must not be 0") }
        guard self.amount > 0 || self.source != .gift else {
            throw WalletError.member("amount", "of a gift must be more than 0", Received(self.amount))
        }
        guard self.amount > 0 || self.expiresAt == nil else {
            throw WalletError.member(
                "expires_at",
                "is allowed only for an amount above 0; the amount is \(self.amount)"
            )
        }
        try OperatorText.check(self.reason, "reason", upTo: 500)
        try OperatorText.check(self.reference, "reference", upTo: 200)
        return self
    }
}

/// A posted adjustment together with the balance after it.
public struct AdjustmentResult: Encodable, Sendable {
    /// The posted adjustment.
    public struct Posted: Encodable, Sendable {
        /// The operator's reference.
        public var reference: String
        /// The owner of the wallet.
        public var userID: String
        /// The environment of the user's wallet.
        public var environment: WalletEnvironment
        /// The unit of the amount.
        public var unit: CreditUnit
        /// The added or deducted amount.
        public var amount: Int64
        /// A correction or a gift.
        public var source: Adjustment.Source
        /// The new lot; `nil` for a deduction.
        @Nullable public var lotID: UUID?
        /// The time at which the remaining amount expires; `nil` for never.
        @Nullable public var expiresAt: Date?

        init(_ adjustment: Adjustment, environment: WalletEnvironment, lotID: UUID?, expiresAt: Date?) {
            self.reference = adjustment.reference
            self.userID = adjustment.userID
            self.environment = environment
            self.unit = adjustment.unit
            self.amount = adjustment.amount
            self.source = adjustment.source
            self.lotID = lotID
            self.expiresAt = expiresAt
        }

        enum CodingKeys: String, CodingKey {
            case reference
            case userID = "user_id"
            case environment, unit, amount, source
            case lotID = "lot_id"
            case expiresAt = "expires_at"
        }
    }

    /// The wallet's balance before an adjustment or a dry run.
    public struct Before: Encodable, Sendable, Equatable {
        /// The credits.
        public var credits: Int64
        /// The visits.
        public var visits: Int64

        init?(credits: Int64?, visits: Int64?) {
            guard let credits, let visits else { return nil }
            self.credits = credits
            self.visits = visits
        }
    }

    /// The posted adjustment.
    public var adjustment: Posted
    /// The wallet's balance before the adjustment; `nil` for a replay.
    @Nullable public var before: Before?
    /// The wallet's current balance.
    public var balance: BalanceSummary
    /// The preview of a dry run, which the client sends back to confirm; `nil` if the adjustment was made.
    @Nullable public var preview: String?
    /// A Boolean value that indicates whether the request repeated an earlier key; the repetition changed nothing.
    public var replayed: Bool

    enum CodingKeys: CodingKey {
        case adjustment, before, balance, preview
    }
}
