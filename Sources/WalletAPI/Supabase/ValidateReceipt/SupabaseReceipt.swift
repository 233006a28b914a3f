import Foundation
import HTTPTypes
import StoreSync

/// A proof of purchase in the apps' format: a base64 receipt or a signed transaction in the same member.
///
/// Of the other members, only the transaction id is used.
struct SupabaseReceipt: Sendable {
    let receipt: String
    let transactionID: String?

    /// The form of the proof: a signed transaction contains dots, which base64 does not use.
    var proof: PurchaseProof {
        let isSigned = self.receipt.contains(".") && !self.isObject
        return isSigned ? .signed([self.receipt], appTransaction: nil) : .receipt(self.receipt)
    }

    private var isObject: Bool { self.receipt.first { !$0.isWhitespace } == "{" }

    private enum CodingKeys: String, CodingKey {
        case receipt, receiptData
        case transactionID = "transaction_id"
        case camelTransactionID = "transactionId"
    }
}

extension SupabaseReceipt: Decodable {
    /// Decodes the members.
    ///
    /// An object instead of a text is an unsigned transaction and is refused.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let name: CodingKeys = members.contains(.receipt) ? .receipt : .receiptData
        guard members.contains(name) else { throw Problem.member("receipt", "is required") }
        do {
            self.receipt = try members.decode(String.self, forKey: name).trimmed
        } catch DecodingError.typeMismatch {
            _ = try members.nestedContainer(keyedBy: CodingKeys.self, forKey: name)
            throw Problem(.badRequest, "unsigned-transaction", "The transaction must be signed by the store.")
        }
        self.transactionID =
            try members.decodeIfPresent(String.self, forKey: .transactionID)
            ?? members.decodeIfPresent(String.self, forKey: .camelTransactionID)
        if let id = self.transactionID, !TransactionID.isValid(id) {
            throw Problem.member("transactionId", "must be 1 to 255 visible ASCII characters", Received(id))
        }
    }
}
