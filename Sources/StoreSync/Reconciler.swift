public import Foundation
public import Logging
public import Stores
public import Wallet

/// Compares the ledger with the stores' current data and repairs differences by applying the facts like messages.
///
/// Another run finds no differences, because facts are absolute. Purchases before a store's `grants_from` are not
/// differences. A difference that two sources report about a purchase is one difference.
public struct Reconciler: Sendable {
    private static let accountsPerPage = 50

    /// A fact that the ledger lacks.
    private struct Repair {
        let statement: StoreEvent.AttributedFact
        /// A Boolean value that indicates whether the difference was reported; repeated ones of the same purchase are
        /// not.
        let isReported: Bool
    }

    /// All facts that the ledger lacks; each difference of a purchase is reported once.
    private struct Repairs {
        var list: [Repair] = []
        private var reported: Set<[String]> = []

        /// Adds a repair and returns `true` if the difference is the first of its kind for the purchase.
        mutating func add(_ statement: StoreEvent.AttributedFact, _ difference: Difference) -> Bool {
            let isNew = self.reported.insert(statement.fact.purchase + [difference.rawValue]).inserted
            self.list.append(Repair(statement: statement, isReported: isNew))
            return isNew
        }
    }

    let wallet: Wallet
    let stores: StoreClients
    let logger: Logger

    /// Creates a reconciler.
    ///
    /// - Parameters:
    ///   - wallet: The wallet whose ledger is compared.
    ///   - stores: The clients of the enabled stores.
    ///   - logger: Logs failed store requests.
    public init(wallet: Wallet, stores: StoreClients, logger: Logger) {
        self.wallet = wallet
        self.stores = stores
        self.logger = logger
    }

    /// Compares, reports and repairs.
    ///
    /// - Parameter request: The purchases to compare and the limits of the repair.
    /// - Returns: The differences and the number of repairs.
    /// - Throws: ``WalletError`` 503 when the database does not answer; another run continues the work.
    public func run(_ request: ReconciliationRequest) async throws -> ReconciliationReport {
        var report = ReconciliationReport()
        var repairs = Repairs()
        var last: Int64 = 0
        while true {
            let customers = try await self.wallet.storeCustomers(
                user: request.user,
                since: request.since,
                after: last,
                limit: Self.accountsPerPage
            )
            guard let newLast = customers.map(\.accountID).max() else { break }
            last = newLast
            let accounts = Dictionary(grouping: customers, by: \.accountID).sorted { $0.key < $1.key }
            for (accountID, purchases) in accounts {
                let statements = await self.statements(about: purchases, &report)
                try await self.compare(statements, of: accountID, &report, &repairs)
            }
        }
        if last == 0, let user = request.user {
            // The user has no purchases in the ledger, so only RevenueCat can be queried.
            let statements = await self.statements(ofUser: user, &report)
            try await self.compare(statements, of: nil, &report, &repairs)
        }
        if request.user == nil {
            let statements = await self.voidedStatements(since: request.since, &report)
            try await self.compare(statements, of: nil, &report, &repairs)
        }
        try await self.repair(repairs.list, request, &report)
        return report
    }

    private func compare(
        _ statements: [StoreEvent.AttributedFact],
        of accountID: Int64?,
        _ report: inout ReconciliationReport,
        _ repairs: inout Repairs
    ) async throws {
        for statement in statements {
            report.compared += 1
            let comparison = try await self.accepted(&report) { try await self.wallet.compare(statement) }
            guard let difference = comparison.flatMap({ $0 }) else { continue }
            if repairs.add(statement, difference) {
                report.differences.append(.init(difference, accountID, statement.fact))
            }
        }
    }

    private func repair(
        _ repairs: [Repair],
        _ request: ReconciliationRequest,
        _ report: inout ReconciliationReport
    ) async throws {
        guard !request.isDryRun else { return }
        let grants = report.differences.count { $0.difference == .missingGrant || $0.difference == .missingAmount }
        guard grants <= request.maximumGrants || request.isConfirmed else {
            report.needsConfirmation = true
            return
        }
        for repair in repairs {
            let outcome = try await self.accepted(&report) { try await self.wallet.apply(repair.statement) }
            if outcome != nil, repair.isReported { report.repaired += 1 }
        }
    }

    /// Returns the ledger's answer; nil if the ledger refuses this fact, so that the other facts are still processed.
    private func accepted<Value: Sendable>(
        _ report: inout ReconciliationReport,
        _ work: () async throws -> Value
    ) async throws -> Value? {
        do {
            return try await work()
        } catch let error as WalletError {
            guard error.status < 500 || error.slug == "wallet-busy" else { throw error }
            self.logger.warning("A purchase could not be compared", metadata: ["error": "\(error)"])
            report.unreachable += 1
            return nil
        }
    }
}

extension StoreFact {
    /// The key of the purchase that the fact is about.
    fileprivate var purchase: [String] {
        [self.store.rawValue, self.environment.rawValue, self.transactionID, self.lineItemID ?? ""]
    }
}

extension ReconciliationReport.Finding {
    fileprivate init(_ difference: Difference, _ accountID: Int64?, _ fact: StoreFact) {
        self.init(
            difference: difference,
            accountID: accountID,
            store: fact.store.rawValue,
            environment: WalletEnvironment(fact.environment),
            transactionID: fact.transactionID,
            storeProductID: fact.storeProductID
        )
    }
}

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
