public import Foundation

/// The proof with which an app buys at a promotional offer's price.
public struct PromotionalOfferSignature: Sendable, Hashable {
    /// The id of the key that signed.
    public let keyID: String
    /// Makes the signature good for one use; the app must write it in lower case.
    public let nonce: UUID
    /// When it was signed, in milliseconds since 1970.
    public let timestamp: Int64
    /// The signature, DER in base64.
    public let signature: String
}
