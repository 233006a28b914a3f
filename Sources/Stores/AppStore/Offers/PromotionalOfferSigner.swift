import Crypto
public import Foundation

/// Signs promotional offers, so that the App Store lets a subscriber have one.
///
/// Who may have which offer is the caller's to decide: the store believes the signature.
public struct PromotionalOfferSigner: Sendable {
    /// U+2063 INVISIBLE SEPARATOR.
    private static let separator = "\u{2063}"

    private let keyID: String
    private let key: P256.Signing.PrivateKey

    /// Reads the private key.
    /// - Parameters:
    ///   - keyID: the key's id in App Store Connect.
    ///   - privateKeyPEM: the private key, P-256, as PEM.
    /// - Throws: ``StoreError`` `misconfigured` where the key is none, or its id is empty.
    public init(keyID: String, privateKeyPEM: String) throws(StoreError) {
        guard !keyID.isEmpty, let key = try? P256.Signing.PrivateKey(pemRepresentation: privateKeyPEM) else {
            throw StoreError(.misconfigured)
        }
        self.keyID = keyID
        self.key = key
    }

    /// Signs one offer, for 24 hours and one use.
    /// - Parameters:
    ///   - bundleID: the bundle id of the app in which it is redeemed.
    ///   - productID: the subscription's product as the store names it.
    ///   - offerID: the offer as the store names it.
    ///   - appAccountToken: the account token with which the app will buy, nil if it sets none.
    ///   - nonce: a new one for each signature.
    ///   - timestamp: now, in milliseconds since 1970.
    /// - Returns: what the app hands to the store with the purchase.
    /// - Throws: ``StoreError`` `rejected` for a name that is empty or holds the character that separates the names,
    ///   which could make the signature one for another offer.
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
