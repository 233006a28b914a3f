import Foundation
import Logging
import Stores
import Wallet

/// The store requests for the comparison of an account; a failed request affects only its own purchases.
extension Reconciler {
    private typealias Asking = () async throws -> [StoreEvent.AttributedFact]

    /// Requests one account's purchases from every store.
    func statements(
        about purchases: [StoreCustomer],
        _ report: inout ReconciliationReport
    ) async -> [StoreEvent.AttributedFact] {
        var statements: [StoreEvent.AttributedFact] = []
        // An account with merged accounts has several users, and each is a separate customer at RevenueCat.
        for user in Set(purchases.compactMap(\.userID)).sorted(by: { $0.rawValue < $1.rawValue }) {
            statements += await self.statements(ofUser: user, &report)
        }
        statements += await self.appStoreStatements(about: purchases, &report)
        statements += await self.googlePlayStatements(about: purchases, &report)
        return statements
    }

    /// Requests a user's purchases from RevenueCat.
    func statements(ofUser user: UserID, _ report: inout ReconciliationReport) async -> [StoreEvent.AttributedFact] {
        guard let api = self.stores.revenueCat else { return [] }
        return await self.ask(&report) { try await api.statements(of: user) } ?? []
    }

    /// Requests purchases from the App Store.
    ///
    /// An answer contains everything that a customer bought, independent of the requested transaction, so each customer
    /// of the account is requested once.
    private func appStoreStatements(
        about purchases: [StoreCustomer],
        _ report: inout ReconciliationReport
    ) async -> [StoreEvent.AttributedFact] {
        guard let api = self.stores.serverAPI else { return [] }
        let known = purchases.filter { $0.store == .appStore }.compactMap(\.transactionID)
        var answered: Set<String> = []
        var statements: [StoreEvent.AttributedFact] = []
        for id in Set(known).sorted() where !answered.contains(id) {
            let facts = await self.ask(&report) {
                let facts = try await api.history(of: id) + api.subscriptions(of: id)
                return facts.map { StoreEvent.AttributedFact(fact: $0) }
            }
            for fact in (facts ?? []).map(\.fact) {
                answered.formUnion([fact.transactionID, fact.originalTransactionID].compactMap { $0 })
            }
            statements += facts ?? []
        }
        return statements
    }

    private func googlePlayStatements(
        about purchases: [StoreCustomer],
        _ report: inout ReconciliationReport
    ) async -> [StoreEvent.AttributedFact] {
        guard let api = self.stores.googlePlay else { return [] }
        var statements: [StoreEvent.AttributedFact] = []
        let bought = Dictionary(grouping: purchases.filter { $0.store == .playStore }, by: \.purchaseToken)
        for (token, purchase) in bought.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            guard let token, let purchase = purchase.first else { continue }
            statements += await self.ask(&report) { try await api.statements(about: purchase, token: token) } ?? []
        }
        return statements
    }

    /// Returns the store's answer; nil if the store does not answer.
    ///
    /// A purchase that the store no longer finds is not removed from the ledger.
    private func ask(
        _ report: inout ReconciliationReport,
        _ question: Asking
    ) async -> [StoreEvent.AttributedFact]? {
        do {
            return try await question()
        } catch {
            if (error as? StoreError)?.code == .notFound { return [] }
            self.logger.warning("A store did not respond", metadata: ["error": "\(error)"])
            report.unreachable += 1
            return nil
        }
    }

    /// Requests recently voided purchases from Google Play, since a subscription's answer contains only its newest
    /// order.
    func voidedStatements(
        since: Date?,
        _ report: inout ReconciliationReport
    ) async -> [StoreEvent.AttributedFact] {
        guard let api = self.stores.googlePlay else { return [] }
        do {
            var statements: [StoreEvent.AttributedFact] = []
            for purchase in try await api.voidedPurchases(since: since ?? .distantPast) {
                statements += try await api.statements(about: purchase)
            }
            return statements
        } catch {
            self.logger.warning("Google Play's voided purchases could not be read", metadata: ["error": "\(error)"])
            report.unreachable += 1
            return []
        }
    }
}

extension GooglePlayAPI {
    fileprivate func statements(
        about purchase: StoreCustomer,
        token: String
    ) async throws -> [StoreEvent.AttributedFact] {
        let facts =
            purchase.isSubscription
            ? try await self.subscription(token: token)
            : try await self.purchase(productID: purchase.storeProductID, token: token)
        return facts.map { StoreEvent.AttributedFact(fact: $0) }
    }

    /// The list does not distinguish products from subscriptions, so the purchase is looked up as a product, then as a
    /// subscription.
    fileprivate func statements(about purchase: VoidedPurchase) async throws -> [StoreEvent.AttributedFact] {
        if let found = try await self.statements(about: purchase, as: .product) { return found }
        return try await self.statements(about: purchase, as: .subscription) ?? []
    }

    private func statements(
        about purchase: VoidedPurchase,
        as kind: StoreEvent.Lookup.Kind
    ) async throws -> [StoreEvent.AttributedFact]? {
        var event = StoreEvent(source: .googlePlay, id: purchase.purchaseToken, type: "voided")
        event.question = StoreEvent.Lookup(
            kind: kind,
            purchaseToken: purchase.purchaseToken,
            orderID: purchase.orderID,
            isVoided: purchase.quantity == nil,
            at: purchase.voidedAt,
            occasion: .refund
        )
        do {
            return try await self.answer(event).statements
        } catch {
            guard error.code == .notFound || error.code == .rejected else { throw error }
            return nil
        }
    }
}
