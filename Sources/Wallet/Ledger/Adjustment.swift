public import Foundation

/// What an operator adds to a wallet or takes from it.
public struct Adjustment: Decodable, Sendable, Equatable {
    /// Why something is added.
    public enum Source: String, Codable, Sendable, NamedValue {
        /// A correction, up or down.
        case adjustment
        /// A present, which may expire; its lot has the source `promo`.
        case gift
    }

    /// Whose wallet, as in ``Balance``.
    public var userID: String
    /// Which of the user's wallets, for anyone who says it here, too; it has to be the one that the request is about.
    public var environment: WalletEnvironment?
    /// What is added or taken.
    public var unit: CreditUnit
    /// How much: positive adds, negative takes.
    public var amount: Int64
    /// Why, for the books, 1 to 500 characters.
    public var reason: String
    /// The operator's own name for this movement, 1 to 200 characters; it posts once.
    public var reference: String
    /// A correction unless said.
    public var source: Source
    /// When what is left of it lapses; nil for never.
    public var expiresAt: Date?
    /// Whether a user whom the wallet does not know is meant; otherwise such a user is refused as a typing error.
    public var newUser: Bool

    /// Reads an adjustment.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` for members that are missing or of the wrong type.
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

/// A posted adjustment together with the balance after it.
public struct AdjustmentReceipt: Encodable, Sendable {
    /// What was posted.
    public struct Posted: Encodable, Sendable {
        /// The operator's own name for it.
        public var reference: String
        /// Whose wallet.
        public var userID: String
        /// Which of the user's wallets.
        public var environment: WalletEnvironment
        /// What was added or taken.
        public var unit: CreditUnit
        /// How much.
        public var amount: Int64
        /// A correction or a gift.
        public var source: Adjustment.Source
        /// The lot that was opened; nil when something was taken.
        @Nullable public var lotID: UUID?
        /// When what is left of it lapses; nil for never.
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

    /// What the wallet held before, as a dry run or an adjustment found it.
    public struct Before: Encodable, Sendable, Equatable {
        /// Credits.
        public var credits: Int64
        /// Visits.
        public var visits: Int64

        init?(credits: Int64?, visits: Int64?) {
            guard let credits, let visits else { return nil }
            self.credits = credits
            self.visits = visits
        }
    }

    /// What was posted.
    public var adjustment: Posted
    /// What the wallet held before; nil for a replay.
    @Nullable public var before: Before?
    /// The wallet's present balance.
    public var balance: BalanceSummary
    /// What a dry run's confirmation sends back; nil for what is done.
    @Nullable public var preview: String?
    /// Whether this answers a key that was used before; nothing was done this time.
    public var replayed: Bool

    enum CodingKeys: CodingKey {
        case adjustment, before, balance, preview
    }
}
