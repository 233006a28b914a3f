import Foundation
public import Logging
public import Stores
public import Wallet

/// Compares the books with what the stores say now, and repairs what is lacking the way any message would have.
///
/// Doing it again finds nothing: what the stores say is absolute. What was sold before a store's `grants_from` is no
/// difference.
public struct Reconciler: Sendable {
    private static let accountsPerPage = 50

    let wallet: Wallet
    let stores: StoreClients
    let logger: Logger

    /// Makes a reconciler.
    ///
    /// - Parameters:
    ///   - wallet: The wallet whose books are compared.
    ///   - stores: Whom to ask.
    ///   - logger: Hears of stores that do not answer.
    public init(wallet: Wallet, stores: StoreClients, logger: Logger) {
        self.wallet = wallet
        self.stores = stores
        self.logger = logger
    }

    /// Compares, reports and repairs.
    ///
    /// - Parameter request: What is to be compared, and what may be repaired.
    /// - Returns: What was found and done.
    /// - Throws: ``WalletError`` 503 when the database does not answer; running it again goes on.
    public func run(_ request: ReconciliationRequest) async throws -> ReconciliationReport {
        var report = ReconciliationReport()
        var repairs: [StoreEvent.Statement] = []
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
            for (accountID, purchases) in Dictionary(grouping: customers, by: \.accountID).sorted(by: {
                $0.key < $1.key
            }) {
                for statement in await self.statements(about: purchases, &report) {
                    report.compared += 1
                    guard let difference = try await self.wallet.compare(statement) else { continue }
                    report.add(.init(difference, accountID, statement.fact))
                    repairs.append(statement)
                }
            }
        }
        try await self.repair(repairs, request, &report)
        return report
    }

    private func repair(
        _ statements: [StoreEvent.Statement],
        _ request: ReconciliationRequest,
        _ report: inout ReconciliationReport
    ) async throws {
        guard !request.isDryRun else { return }
        let grants = report.differences.count { $0.difference == .missingGrant || $0.difference == .missingAmount }
        guard grants <= request.maximumGrants || request.isConfirmed else {
            report.needsConfirmation = true
            return
        }
        for statement in statements { _ = try await self.wallet.apply(statement) }
        report.repaired = report.differences.count
    }

    /// Asks every store about one account's purchases; a store that does not answer costs only its own.
    private func statements(
        about purchases: [StoreCustomer],
        _ report: inout ReconciliationReport
    ) async -> [StoreEvent.Statement] {
        var statements: [StoreEvent.Statement] = []
        for question in self.questions(about: purchases) {
            guard let answer = await self.answer(to: question) else {
                report.unreachable += 1
                continue
            }
            statements += answer
        }
        return statements
    }

    /// What a store answers, nil where it does not; what it has forgotten, the books have not.
    private func answer(to question: Asking) async -> [StoreEvent.Statement]? {
        do {
            return try await question()
        } catch {
            if (error as? StoreError)?.code == .notFound { return [] }
            self.logger.warning("A store could not be asked", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private typealias Asking = @Sendable () async throws -> [StoreEvent.Statement]

    private func questions(about purchases: [StoreCustomer]) -> [Asking] {
        var questions: [Asking] = []
        if let api = self.stores.revenueCat, let user = purchases.compactMap(\.userID).first {
            questions.append { try await api.statements(ofUser: user.rawValue) }
        }
        if let api = self.stores.serverAPI {
            // The App Store answers with the whole history of a customer, whichever transaction is named.
            let chains = Set(purchases.filter { $0.store == .appStore }.compactMap(\.transactionID))
            for id in chains.sorted() {
                questions.append {
                    let facts = try await api.history(of: id) + api.subscriptions(of: id)
                    return facts.map { StoreEvent.Statement(fact: $0) }
                }
            }
        }
        if let api = self.stores.googlePlay {
            let bought = purchases.filter { $0.store == .playStore }
            for (token, purchase) in Dictionary(grouping: bought, by: \.purchaseToken) {
                guard let token, let purchase = purchase.first else { continue }
                questions.append { try await api.statements(about: purchase, token: token) }
            }
        }
        return questions
    }
}

extension GooglePlayAPI {
    fileprivate func statements(about purchase: StoreCustomer, token: String) async throws -> [StoreEvent.Statement] {
        let facts =
            purchase.isSubscription
            ? try await self.subscription(token: token)
            : [try await self.product(productID: purchase.storeProductID, token: token)]
        return facts.map { StoreEvent.Statement(fact: $0) }
    }
}

extension ReconciliationReport.Finding {
    fileprivate init(_ difference: Difference, _ accountID: Int64, _ fact: StoreFact) {
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
