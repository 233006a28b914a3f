import Foundation
import JSON

/// A one-time purchase in the format of the Android Publisher API.
struct PlayProductAnswer {
    let transaction: SandboxTransaction

    /// The body of `purchases.products.get`.
    var product: JSONValue {
        JSONValue.object([
            "kind": "androidpublisher#productPurchase",
            "purchaseTimeMillis": .millisecondsText(self.transaction.purchasedAt),
            "purchaseState": .integer(self.stateNumber),
            "consumptionState": self.transaction.consumedAt == nil ? 0 : 1,
            "developerPayload": "",
            "orderId": .optional(self.transaction.playOrderID),
            "purchaseType": self.transaction.environment == .sandbox ? 0 : .null,
            "acknowledgementState": self.isAcknowledged ? 1 : 0,
            "quantity": self.transaction.quantity > 1 ? .integer(self.transaction.quantity) : .null,
            "refundableQuantity": .integer(self.refundableQuantity),
            "obfuscatedExternalAccountId": .optional(self.transaction.appAccountToken),
            "regionCode": "US",
        ]).withoutNulls
    }

    /// The body of `purchases.productsv2.getproductpurchasev2`.
    var productV2: JSONValue {
        JSONValue.object([
            "kind": "androidpublisher#productPurchaseV2",
            "productLineItem": .array(self.transaction.products.map(self.lineItem)),
            "purchaseStateContext": ["purchaseState": .text(self.stateText)],
            "testPurchaseContext": self.transaction.environment == .sandbox ? ["fopType": "TEST"] : .null,
            "orderId": .optional(self.transaction.playOrderID),
            "obfuscatedExternalAccountId": .optional(self.transaction.appAccountToken),
            "regionCode": "US",
            "purchaseCompletionTime": self.transaction.isPending ? .null : .instant(self.transaction.purchasedAt),
            "acknowledgementState":
                .text(PlayAcknowledgement.text(isDone: self.isAcknowledged)),
        ]).withoutNulls
    }

    private func lineItem(of product: SandboxTransaction) -> JSONValue {
        [
            "productId": .text(product.productID),
            "productOfferDetails": [
                "quantity": .integer(product.quantity),
                "refundableQuantity": .integer(product.quantity - product.voidedQuantity),
                "consumptionState": .text(self.consumptionText),
            ],
        ]
    }

    // Consumption includes the acknowledgement.
    private var isAcknowledged: Bool { self.transaction.acknowledgedAt != nil || self.transaction.consumedAt != nil }

    private var isCancelled: Bool { self.transaction.isUndone || self.transaction.abandonedAt != nil }

    private var stateNumber: Int64 {
        if self.isCancelled { return 1 }
        return self.transaction.isPending ? 2 : 0
    }

    private var stateText: String {
        if self.isCancelled { return "CANCELLED" }
        return self.transaction.isPending ? "PENDING" : "PURCHASED"
    }

    private var consumptionText: String {
        self.transaction.consumedAt == nil
            ? "CONSUMPTION_STATE_YET_TO_BE_CONSUMED" : "CONSUMPTION_STATE_CONSUMED"
    }

    private var refundableQuantity: Int64 {
        Int64(self.transaction.quantity - self.transaction.voidedQuantity)
    }
}

/// The API's values for the acknowledgement state.
enum PlayAcknowledgement {
    static func text(isDone: Bool) -> String {
        isDone ? "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED" : "ACKNOWLEDGEMENT_STATE_PENDING"
    }
}

extension SandboxTransaction {
    /// The order id in the API's answers; nil before the payment.
    fileprivate var playOrderID: String? { self.pendingSince == nil ? self.orderID : nil }

    /// The refunded quantity, rounded up: Google Play refunds whole items.
    var voidedQuantity: Int {
        guard !self.isUndone else { return self.quantity }
        return (self.quantity * self.refundedShare + 999_999) / 1_000_000
    }
}
