import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

/// A JWS of the App Store, decoded and verified as Apple's library does.
struct SignedData {
    private static let marks: [ASN1ObjectIdentifier] = [
        [1, 2, 840, 113_635, 100, 6, 11, 1], [1, 2, 840, 113_635, 100, 6, 2, 1],
    ]

    let payload: Stores.Answer
    /// The certificates of the leaf, the intermediate and the root.
    let certificates: [Certificate]

    init(_ text: String?, root: Data) throws {
        let parts = try #require(text).split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try #require(try Self.object(parts[0]))
        #expect(header["alg"] as? String == "ES256")
        let chain = try #require(header["x5c"] as? [String]).map { try #require(Data(base64Encoded: $0)) }
        try #require(chain.count == 3)
        #expect(chain[2] == root)
        let certificates = try chain.map { try Certificate(derEncoded: Array($0)) }
        for (certificate, mark) in zip(certificates, Self.marks) {
            #expect(certificate.extensions[oid: mark] != nil)
        }
        #expect(certificates[1].publicKey.isValidSignature(certificates[0].signature, for: certificates[0]))
        #expect(certificates[2].publicKey.isValidSignature(certificates[1].signature, for: certificates[1]))
        let key = try #require(P256.Signing.PublicKey(certificates[0].publicKey))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try #require(Self.data(parts[2])))
        #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        self.certificates = certificates
        self.payload = Stores.Answer(status: 200, json: try #require(try Self.object(parts[1])))
    }

    /// The type and subtype of a notification.
    var type: String {
        [self.payload.text("notificationType"), self.payload.text("subtype")].compactMap { $0 }.joined(separator: ".")
    }

    /// The data member of a notification.
    var data: Stores.Answer? { self.payload.object("data") }

    private static func object(_ part: Substring) throws -> [String: Any]? {
        try self.data(part).flatMap { try JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    }

    private static func data(_ part: Substring) -> Data? {
        let base64 = String(part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}
