public import Foundation

/// The signature that an app needs to buy at a promotional offer's price.
public struct PromotionalOfferSignature: Sendable, Hashable {
    /// The id of the key that signed.
    public let keyID: String
    /// A one-time value that limits the signature to one use; the app must write it in lower case.
    public let nonce: UUID
    /// The signing time, in milliseconds since 1970.
    public let timestamp: Int64
    /// The signature, DER in base64.
    public let signature: String
}
