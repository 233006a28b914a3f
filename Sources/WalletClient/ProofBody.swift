import Foundation

/// A proof of purchase as it is sent; what is nil is left out.
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

    /// The JSON; a receipt's many slashes stay as they are.
    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            return try encoder.encode(self)
        }
    }
}
