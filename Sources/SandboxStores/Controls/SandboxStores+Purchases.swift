import Foundation
import Hummingbird

extension SandboxStores {
    private struct NewPurchase: Decodable {
        let userId: String
        let productId: String
        let furtherProductIds: [String]?
        let quantity: Int?
        let environment: String?
        let store: String?
        let bundleId: String?
        let ownership: String?
        let isTrial: Bool?
        let billingPlan: String?
        let pending: Bool?
        let appAccountToken: String?
        let priceMilliunits: Int?
        let currency: String?
        let separate: Bool?
    }

    private struct NewReceipt: Decodable {
        let transactionIds: [String]
    }

    func addPurchaseRoutes(to router: Router<SandboxContext>) {
        let purchases = router.group("sandbox/purchases").add(middleware: CatalogueMiddleware(ledger: self.ledger))
        purchases.post { request, context in
            let new = try await request.control(NewPurchase.self, context)
            return try await self.notify(try await self.ledger.buy(self.purchase(from: new)))
        }
        router.post("sandbox/receipts") { request, context in
            let new = try await request.control(NewReceipt.self, context)
            return ["receipt": try await self.ledger.makeReceipt(of: new.transactionIds)]
        }
    }

    private func purchase(from new: NewPurchase) throws -> Purchase {
        guard !new.userId.isEmpty else { throw ControlRefusal.invalid("The member \"user_id\" must not be empty.") }
        let quantity = new.quantity ?? 1
        guard (1...10).contains(quantity) else {
            throw ControlRefusal.member("quantity", "must be from 1 to 10", received: "\(quantity)")
        }
        guard let environment = SandboxTransaction.Environment(rawValue: new.environment ?? "production") else {
            throw ControlRefusal.member("environment", "must be production or sandbox", received: new.environment ?? "")
        }
        guard ["purchased", "family_shared"].contains(new.ownership ?? "purchased") else {
            throw ControlRefusal.member(
                "ownership",
                "must be purchased or family_shared",
                received: new.ownership ?? ""
            )
        }
        guard ["upfront", "monthly"].contains(new.billingPlan ?? "upfront") else {
            throw ControlRefusal.member("billing_plan", "must be upfront or monthly", received: new.billingPlan ?? "")
        }
        let store = try Self.store(of: new)
        return Purchase(
            store: store,
            userID: new.userId,
            productID: new.productId,
            furtherProductIDs: new.furtherProductIds ?? [],
            quantity: quantity,
            environment: environment,
            bundleID: new.bundleId ?? self.configuration.bundleID,
            isTrial: new.isTrial ?? false,
            isBilledMonthly: new.billingPlan == "monthly",
            isFamilyShared: new.ownership == "family_shared",
            isPending: new.pending ?? false,
            appAccountToken: new.appAccountToken,
            priceMilliunits: new.priceMilliunits,
            currency: new.currency,
            isSeparate: new.separate ?? false
        )
    }

    private static func store(of new: NewPurchase) throws -> SandboxStore {
        guard let store = SandboxStore(rawValue: new.store ?? SandboxStore.appStore.rawValue) else {
            throw ControlRefusal.member("store", "must be app_store or play_store", received: new.store ?? "")
        }
        guard store == .appStore else { return store }
        if new.furtherProductIds?.isEmpty == false {
            throw ControlRefusal.invalid("Only a play_store purchase can have several products.")
        }
        if new.pending == true {
            throw ControlRefusal.invalid("Only a play_store purchase can be pending.")
        }
        if let token = new.appAccountToken, UUID(uuidString: token) == nil {
            throw ControlRefusal.member("app_account_token", "must be a UUID", received: token)
        }
        return store
    }
}
