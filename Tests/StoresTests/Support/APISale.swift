import Foundation
import Stores

/// A transaction of the store on loopback, and the data that the store signs about it.
struct APISale: Sendable {
    static let start = Date(timeIntervalSince1970: 1_790_000_000)

    var id = "2000000900000001"
    var originalID = "2000000900000001"
    var product = starter
    var type = "Consumable"
    var bundleID = appBundle
    var environment = "Production"
    var signedAfter = 60.0
    var more: [String: any Sendable] = [:]

    static func subscription(in environment: String = "Production") -> APISale {
        var sale = APISale()
        sale.environment = environment
        sale.product = monthly
        sale.type = "Auto-Renewable Subscription"
        sale.more = ["expiresDate": Self.milliseconds(2_592_000), "webOrderLineItemId": "2000000400000001"]
        return sale
    }

    static func milliseconds(_ seconds: Double) -> Int {
        Int(Self.start.timeIntervalSince1970 + seconds) * 1_000
    }

    var transaction: [String: any Sendable] {
        var members: [String: any Sendable] = [
            "transactionId": self.id, "originalTransactionId": self.originalID, "bundleId": self.bundleID,
            "productId": self.product, "type": self.type, "environment": self.environment, "quantity": 1,
            "inAppOwnershipType": "PURCHASED", "transactionReason": "PURCHASE",
            "purchaseDate": Self.milliseconds(0), "originalPurchaseDate": Self.milliseconds(0),
            "signedDate": Self.milliseconds(self.signedAfter),
        ]
        members.merge(self.more) { $1 }
        return members
    }

    func signed() throws -> String {
        try APISigner.sign(self.transaction)
    }

    /// Returns the renewal information of the transaction.
    func renewal(_ more: [String: any Sendable] = [:]) throws -> String {
        var members: [String: any Sendable] = [
            "originalTransactionId": self.originalID, "autoRenewProductId": self.product, "productId": self.product,
            "autoRenewStatus": 1, "environment": self.environment, "signedDate": Self.milliseconds(self.signedAfter),
            "recentSubscriptionStartDate": Self.milliseconds(0),
        ]
        members.merge(more) { $1 }
        return try APISigner.sign(members)
    }

    /// Returns a response with this transaction only.
    func answer() throws -> APIStore.Answer {
        try APIStore.Answer(["signedTransactionInfo": try self.signed()])
    }
}
