import Foundation
import Logging
import Stores

extension Reconciler {
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
