public import Foundation
public import Wallet

/// The purchases to compare with the stores.
public struct ReconciliationRequest: Sendable {
    /// The user whose purchases are compared; nil for all users.
    public var user: UserID?
    /// Compares only purchases that were reported since this time or whose period ends after it; nil for all.
    public var since: Date?
    /// The maximum number of missing grants that are repaired without confirmation.
    public var maximumGrants: Int
    /// A Boolean value that indicates whether the operator confirmed more repairs than that.
    public var isConfirmed: Bool
    /// A Boolean value that indicates whether differences are only reported.
    public var isDryRun: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - user: The user whose purchases are compared, nil for all users.
    ///   - since: Compares only purchases that were reported since this time or whose period ends after it, nil for
    ///     all.
    ///   - maximumGrants: The maximum number of missing grants that are repaired without confirmation.
    ///   - isConfirmed: `true` to repair more than that.
    ///   - isDryRun: `true` to only report differences.
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

/// The result of a comparison with the stores.
public struct ReconciliationReport: Sendable {
    /// One difference between a store and the ledger.
    public struct Finding: Sendable, Equatable {
        /// The kind of difference.
        public var difference: Difference
        /// The account; nil for a user without an account.
        public var accountID: Int64?
        /// The store that sold the purchase.
        public var store: String
        /// The wallet environment.
        public var environment: WalletEnvironment
        /// The store's transaction id.
        public var transactionID: String
        /// The store's id of the product.
        public var storeProductID: String
    }

    /// The number of facts that the stores reported.
    public var compared = 0
    /// The differences between the stores and the ledger.
    public var differences: [Finding] = []
    /// The number of differences that were repaired.
    public var repaired = 0
    /// The number of store requests that failed and of facts that the ledger refused.
    public var unreachable = 0
    /// A Boolean value that indicates whether there were more missing grants than the limit, so that nothing was
    /// repaired.
    public var needsConfirmation = false
}
