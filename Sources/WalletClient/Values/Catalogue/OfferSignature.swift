public import Foundation

/// The proof with which StoreKit sells at a promotional offer's price.
public struct OfferSignature: Codable, Sendable, Hashable {
    /// The id of the key that signed.
    public var keyID: String
    /// Makes the signature good for one use; StoreKit 1 wants it in lower case.
    public var nonce: UUID
    /// When it was signed, in milliseconds since 1970.
    public var timestamp: Int64
    /// The signature in base64.
    public var signature: String

    /// Creates a value of the given properties, for previews and tests.
    public init(
        keyID: String,
        nonce: UUID,
        timestamp: Int64,
        signature: String
    ) {
        self.keyID = keyID
        self.nonce = nonce
        self.timestamp = timestamp
        self.signature = signature
    }

    private enum CodingKeys: String, CodingKey {
        case keyID = "key_id"
        case nonce
        case timestamp
        case signature
    }
}
