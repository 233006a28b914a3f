public import Foundation
public import Wallet

/// What is to be compared with the stores.
public struct ReconciliationRequest: Sendable {
    /// Whose purchases; nil for everybody's.
    public var user: UserID?
    /// Only purchases of which a store has said something since, or which have run on since; nil for all.
    public var since: Date?
    /// How many missing grants are repaired without being confirmed.
    public var maximumGrants: Int
    /// Whether more than that may be repaired.
    public var isConfirmed: Bool
    /// Whether differences are only reported.
    public var isDryRun: Bool

    /// Asks for a comparison.
    ///
    /// - Parameters:
    ///   - user: Whose purchases, nil for everybody's.
    ///   - since: Only purchases reported since then, nil for all.
    ///   - maximumGrants: How many missing grants are repaired without being confirmed.
    ///   - isConfirmed: Whether more than that may be repaired.
    ///   - isDryRun: Whether differences are only reported.
    public init(
        user: UserID? = nil,
        since: Date? = nil,
        maximumGrants: Int = 20,
        isConfirmed: Bool = false,
        isDryRun: Bool = false
    ) {
        self.user = user
        self.since = since
        self.maximumGrants = maximumGrants
        self.isConfirmed = isConfirmed
        self.isDryRun = isDryRun
    }
}

/// What a comparison with the stores found, and what was done about it.
public struct ReconciliationReport: Sendable {
    /// One thing that the books lacked.
    public struct Finding: Sendable, Equatable {
        /// What was lacking.
        public var difference: Difference
        /// In which account; nil for a user who has none yet.
        public var accountID: Int64?
        /// The store of sale.
        public var store: String
        /// Which wallets.
        public var environment: WalletEnvironment
        /// The store's transaction id.
        public var transactionID: String
        /// The product as the store names it.
        public var storeProductID: String
    }

    /// How many purchases the stores described.
    public var compared = 0
    /// What the books lacked.
    public var differences: [Finding] = []
    /// How many of those were repaired.
    public var repaired = 0
    /// How many questions a store did not answer, or answered with what the books refuse.
    public var unreachable = 0
    /// There were more missing grants than may be repaired unconfirmed, so none was.
    public var needsConfirmation = false
}
