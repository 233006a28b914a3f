import Foundation
import Hummingbird

extension SandboxStores {
    private struct NewPurchase: Decodable {
        let userId: String
        let productId: String
        let quantity: Int?
        let environment: String?
        let store: String?
        let bundleId: String?
        let ownership: String?
        let isTrial: Bool?
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
        router.post("sandbox/purchases") { request, context in
            let new = try await request.decode(as: NewPurchase.self, context: context)
            return try await self.tell(try await self.ledger.buy(self.purchase(from: new)))
        }
        router.post("sandbox/receipts") { request, context in
            let new = try await request.decode(as: NewReceipt.self, context: context)
            return ["receipt": try await self.ledger.makeReceipt(of: new.transactionIds)]
        }
    }

    private func purchase(from new: NewPurchase) throws -> Purchase {
        guard !new.userId.isEmpty else { throw ControlRefusal.invalid("user_id is empty") }
        let quantity = new.quantity ?? 1
        guard (1...10).contains(quantity) else { throw ControlRefusal.invalid("quantity is 1 to 10") }
        guard let environment = SandboxTransaction.Environment(rawValue: new.environment ?? "production") else {
            throw ControlRefusal.invalid("environment is production or sandbox")
        }
        guard ["purchased", "family_shared"].contains(new.ownership ?? "purchased") else {
            throw ControlRefusal.invalid("ownership is purchased or family_shared")
        }
        let store = try Self.store(of: new)
        return Purchase(
            store: store,
            userID: new.userId,
            productID: new.productId,
            quantity: quantity,
            environment: environment,
            bundleID: new.bundleId ?? self.configuration.bundleID,
            isTrial: new.isTrial ?? false,
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
            throw ControlRefusal.invalid("store is app_store or play_store")
        }
        guard store == .appStore else { return store }
        if new.pending == true { throw ControlRefusal.invalid("only a play_store purchase can be pending") }
        if let token = new.appAccountToken, UUID(uuidString: token) == nil {
            throw ControlRefusal.invalid("app_account_token is a UUID")
        }
        return store
    }
}
