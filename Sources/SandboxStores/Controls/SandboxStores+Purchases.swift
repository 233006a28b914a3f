import Foundation
import Hummingbird

extension SandboxStores {
    private struct NewPurchase: Decodable {
        let userId: String
        let productId: String
        let quantity: Int?
        let environment: String?
        let bundleId: String?
        let ownership: String?
        let isTrial: Bool?
        let appAccountToken: String?
        let separate: Bool?
    }

    private struct NewReceipt: Decodable {
        let transactionIds: [String]
    }

    /// What a purchase or a renewal answers.
    struct Sale: ResponseEncodable {
        let transactionId: String
        let originalTransactionId: String
        let receipt: String

        init(_ sale: (transaction: SandboxTransaction, receipt: String)) {
            self.transactionId = sale.transaction.id
            self.originalTransactionId = sale.transaction.originalID
            self.receipt = sale.receipt
        }
    }

    func addPurchaseRoutes(to router: Router<SandboxContext>) {
        router.post("sandbox/purchases") { request, context in
            let new = try await request.decode(as: NewPurchase.self, context: context)
            return Sale(try await self.ledger.buy(self.purchase(from: new)))
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
        if let token = new.appAccountToken, UUID(uuidString: token) == nil {
            throw ControlRefusal.invalid("app_account_token is a UUID")
        }
        return Purchase(
            userID: new.userId,
            productID: new.productId,
            quantity: quantity,
            environment: environment,
            bundleID: new.bundleId ?? self.configuration.bundleID,
            isTrial: new.isTrial ?? false,
            isFamilyShared: new.ownership == "family_shared",
            appAccountToken: new.appAccountToken,
            isSeparate: new.separate ?? false
        )
    }
}
