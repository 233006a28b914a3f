import Foundation

/// The request body of a proof of purchase; nil properties are omitted.
struct ProofBody: Encodable {
    let store: String
    var receipt: String?
    var signedTransaction: String?
    var signedTransactions: [String]?
    var appTransaction: String?
    var transactionID: String?
    var purchaseToken: String?
    var productID: String?

    private enum CodingKeys: String, CodingKey {
        case store
        case receipt
        case signedTransaction = "signed_transaction"
        case signedTransactions = "signed_transactions"
        case appTransaction = "app_transaction"
        case transactionID = "transaction_id"
        case purchaseToken = "purchase_token"
        case productID = "product_id"
    }

    init(_ proof: PurchaseProof) {
        switch proof {
        case .signedTransaction(let signed):
            self.store = "app_store"
            self.signedTransaction = signed
        case .receipt(let receipt, let transactionID):
            self.store = "app_store"
            self.receipt = receipt
            self.transactionID = transactionID
        case .transactionID(let id):
            self.store = "app_store"
            self.transactionID = id
        case .playPurchase(let token, let productID):
            self.store = "play_store"
            self.purchaseToken = token
            self.productID = productID
        case .revenueCat:
            self.store = "revenuecat"
        }
    }

    init(_ proof: RestoreProof) {
        self.store = "app_store"
        switch proof {
        case .receipt(let receipt):
            self.receipt = receipt
        case .signedTransactions(let signed, let appTransaction):
            self.signedTransactions = signed
            self.appTransaction = appTransaction
        }
    }

    /// The encoded JSON; the slashes in a receipt are not escaped.
    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return try encoder.encode(self)
        }
    }
}
