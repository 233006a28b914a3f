import Foundation

/// The body of a call to the verification endpoint.
struct VerifyReceiptRequest: Encodable {
    let receiptData: String
    let password: String?
    /// Always false: the answer must include all periods, not only the newest, since older ones may not have been
    /// submitted yet.
    let excludeOldTransactions = false

    private enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case password
        case excludeOldTransactions = "exclude-old-transactions"
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(self)
    }
}
