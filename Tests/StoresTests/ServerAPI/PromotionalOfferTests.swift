import Crypto
import Foundation
import Stores
import Testing

@Suite
struct PromotionalOfferTests {
    private let key = P256.Signing.PrivateKey()
    private let nonce = UUID(uuid: (0xAB, 0xCD, 0xEF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
    private let token = UUID(uuid: (0xFE, 0xDC, 0xBA, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))

    private func sign(
        product: String = monthly,
        offer: String = "winter",
        token: UUID?
    ) throws -> PromotionalOfferSignature {
        try PromotionalOfferSigner(keyID: "KEY123", privateKeyPEM: self.key.pemRepresentation).signature(
            bundleID: appBundle,
            productID: product,
            offerID: offer,
            appAccountToken: token,
            nonce: self.nonce,
            timestamp: 1_800_000_000_123
        )
    }

    private func isGood(_ signature: PromotionalOfferSignature, over bytes: [UInt8]) throws -> Bool {
        let der = try #require(Data(base64Encoded: signature.signature))
        let signed = try P256.Signing.ECDSASignature(derRepresentation: der)
        return self.key.publicKey.isValidSignature(signed, for: Data(bytes))
    }

    /// Returns the fields joined by U+2063 in UTF-8.
    private func bytes(_ fields: [String]) -> [UInt8] {
        fields.map { Array($0.utf8) }.reduce(into: []) { bytes, field in
            if !bytes.isEmpty { bytes += [0xE2, 0x81, 0xA3] }
            bytes += field
        }
    }

    @Test
    func `the signature is over the seven fields in the documented order`() throws {
        let signature = try self.sign(token: self.token)
        let fields = [
            "com.example.app", "KEY123", "com.example.plan.monthly", "winter",
            "fedcba01-0203-0405-0607-08090a0b0c0d", "abcdef01-0203-0405-0607-08090a0b0c0d", "1800000000123",
        ]
        #expect(try self.isGood(signature, over: self.bytes(fields)))
        #expect(signature.keyID == "KEY123")
        #expect(signature.nonce == self.nonce)
        #expect(signature.timestamp == 1_800_000_000_123)
        var other = fields
        other[3] = "summer"
        #expect(try !self.isGood(signature, over: self.bytes(other)))
    }

    @Test
    func `without an account token its field is empty`() throws {
        let fields = [
            "com.example.app", "KEY123", "com.example.plan.monthly", "winter", "",
            "abcdef01-0203-0405-0607-08090a0b0c0d", "1800000000123",
        ]
        #expect(try self.isGood(try self.sign(token: nil), over: self.bytes(fields)))
    }

    @Test(arguments: [("", "winter"), (monthly, ""), ("a\u{2063}b", "winter"), (monthly, "a\u{2063}b")])
    func `ambiguous names are not signed`(product: String, offer: String) {
        let error = #expect(throws: StoreError.self) { try self.sign(product: product, offer: offer, token: nil) }
        #expect(error?.code == .rejected)
    }

    @Test(arguments: ["", "no key", P384.Signing.PrivateKey().pemRepresentation])
    func `an invalid key is a configuration error`(pem: String) {
        let error = #expect(throws: StoreError.self) {
            try PromotionalOfferSigner(keyID: "KEY123", privateKeyPEM: pem)
        }
        #expect(error?.code == .misconfigured)
    }

    @Test
    func `a key without an id is a configuration error`() {
        let error = #expect(throws: StoreError.self) {
            try PromotionalOfferSigner(keyID: "", privateKeyPEM: self.key.pemRepresentation)
        }
        #expect(error?.code == .misconfigured)
    }
}
