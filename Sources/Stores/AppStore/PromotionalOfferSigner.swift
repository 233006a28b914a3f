import Crypto
public import Foundation

/// Signs promotional offers, so that the App Store grants them to a subscriber.
///
/// The caller decides which customer is eligible for which offer; the store trusts the signature.
public struct PromotionalOfferSigner: Sendable {
    /// U+2063 INVISIBLE SEPARATOR.
    private static let separator = "\u{2063}"

    private let keyID: String
    private let key: P256.Signing.PrivateKey

    /// Creates a signer.
    /// - Parameters:
    ///   - keyID: The key's id in App Store Connect.
    ///   - privateKeyPEM: The private key, P-256, as PEM.
    /// - Throws: ``StoreError`` `misconfigured` if the key cannot be read or its id is empty.
    public init(keyID: String, privateKeyPEM: String) throws(StoreError) {
        guard !keyID.isEmpty, let key = try? P256.Signing.PrivateKey(pemRepresentation: privateKeyPEM) else {
            throw StoreError(.misconfigured)
        }
        self.keyID = keyID
        self.key = key
    }

    /// Returns the signature of one offer, valid for 24 hours and one use.
    /// - Parameters:
    ///   - bundleID: The bundle id of the app in which the offer is redeemed.
    ///   - productID: The store's id of the subscription product.
    ///   - offerID: The store's id of the offer.
    ///   - appAccountToken: The account token with which the app will buy, nil if it sets none.
    ///   - nonce: A new value for each signature.
    ///   - timestamp: The current time, in milliseconds since 1970.
    /// - Returns: The signature that the app passes to the store with the purchase.
    /// - Throws: ``StoreError`` `rejected` if a name is empty or contains the separator character, which could turn the
    ///   signature into one for another offer.
    public func signature(
        bundleID: String,
        productID: String,
        offerID: String,
        appAccountToken: UUID?,
        nonce: UUID,
        timestamp: Int64
    ) throws(StoreError) -> PromotionalOfferSignature {
        let names = [bundleID, self.keyID, productID, offerID]
        guard names.allSatisfy({ !$0.isEmpty && !$0.unicodeScalars.contains("\u{2063}") }) else {
            throw StoreError(.rejected)
        }
        let token = appAccountToken?.uuidString.lowercased() ?? ""
        let fields = names + [token, nonce.uuidString.lowercased(), String(timestamp)]
        let content = Data(fields.joined(separator: Self.separator).utf8)
        guard let signature = try? self.key.signature(for: content) else { throw StoreError(.misconfigured) }
        return PromotionalOfferSignature(
            keyID: self.keyID,
            nonce: nonce,
            timestamp: timestamp,
            signature: signature.derRepresentation.base64EncodedString()
        )
    }
}

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
