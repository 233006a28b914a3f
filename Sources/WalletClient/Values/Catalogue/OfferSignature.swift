public import Foundation

/// The signature with which StoreKit sells a plan at a promotional offer's price.
public struct OfferSignature: Codable, Sendable, Hashable {
    /// The id of the signing key.
    public var keyID: String
    /// A value that makes the signature valid for one use; StoreKit 1 requires it in lower case.
    public var nonce: UUID
    /// The instant of the signature, in milliseconds since 1970.
    public var timestamp: Int64
    /// The signature in base64.
    public var signature: String

    /// Creates a value with the given properties, for previews and tests.
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
