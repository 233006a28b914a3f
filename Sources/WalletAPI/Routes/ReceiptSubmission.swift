import Foundation

/// What a client sends as proof of a purchase: exactly one of the forms.
struct ReceiptSubmission: Decodable, Sendable {
    /// A store's proof in one of its forms.
    enum Proof: Sendable, Equatable {
        case receipt(String)
        /// A form of the contract that this release does not take.
        case notEnabled(String)
        /// A transaction as plain JSON, which nobody signed.
        case unsigned
    }

    let store: String
    let transactionID: String?
    private let receipt: JSONValue?
    private let signedTransaction: JSONValue?
    private let purchaseToken: String?

    enum CodingKeys: String, CodingKey {
        case store
        case transactionID = "transaction_id"
        case receipt
        case signedTransaction = "signed_transaction"
        case purchaseToken = "purchase_token"
    }

    /// Tells which form was sent.
    ///
    /// - Throws: ``Problem`` 400 for none, several, or a form that does not fit the store.
    func proof() throws -> Proof {
        guard self.store == "app_store" || self.store == "play_store" else {
            throw Problem.malformed("The member \"store\" must be app_store or play_store.")
        }
        if let id = self.transactionID, !TransactionID.isValid(id) {
            throw Problem.malformed("The member \"transaction_id\" must be 1 to 255 visible ASCII characters.")
        }
        let sent = [self.receipt != nil, self.signedTransaction != nil, self.purchaseToken != nil].count { $0 }
        guard sent <= 1 else { throw Problem.malformed("Send one proof, not several.") }
        if self.store == "play_store" { return .notEnabled("play_store") }
        if let receipt = self.receipt { return try Self.receipt(receipt) }
        if let transaction = self.signedTransaction { return try Self.signed(transaction) }
        if self.transactionID != nil { return .notEnabled("transaction_id") }
        throw Problem.malformed("The member \"receipt\" is required.")
    }

    private static func receipt(_ value: JSONValue) throws -> Proof {
        switch value {
        case .text(let text): return .receipt(text)
        case .object: return .unsigned
        default: throw Problem.malformed("The member \"receipt\" must be a text.")
        }
    }

    /// A signed transaction is three base64url parts; a transaction's JSON, plain or in base64, proves nothing.
    private static func signed(_ value: JSONValue) throws -> Proof {
        switch value {
        case .text(let text):
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let isSigned = parts.count == 3 && parts.allSatisfy { !$0.isEmpty && Base64URL.decode($0.utf8) != nil }
            return isSigned ? .notEnabled("signed_transaction") : .unsigned
        case .object: return .unsigned
        default: throw Problem.malformed("The member \"signed_transaction\" must be a text.")
        }
    }
}
