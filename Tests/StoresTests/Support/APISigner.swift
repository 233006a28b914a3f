import Crypto
import Foundation
import SwiftASN1
import X509

/// Signs as the store on loopback does: with a leaf under an intermediate under its own root.
struct APISigner: Sendable {
    static let appAppleID = 1_234
    private static let shared = Result { try APISigner() }

    private let key = P256.Signing.PrivateKey()
    private let root: [UInt8]
    private let chain: [String]

    static func sign(_ members: [String: any Sendable]) throws -> String {
        try Self.shared.get().signed(members)
    }

    static func rootCertificate() throws -> [UInt8] {
        try Self.shared.get().root
    }

    private init() throws {
        let rootKey = P256.Signing.PrivateKey()
        let intermediateKey = P256.Signing.PrivateKey()
        let root = try Self.certificate(
            of: rootKey.publicKey,
            "Root",
            by: rootKey,
            "Root",
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            }
        )
        let intermediate = try Self.certificate(
            of: intermediateKey.publicKey,
            "Middle",
            by: rootKey,
            "Root",
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                try Self.mark([1, 2, 840, 113_635, 100, 6, 2, 1])
            }
        )
        let leaf = try Self.certificate(
            of: self.key.publicKey,
            "Leaf",
            by: intermediateKey,
            "Middle",
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try Self.mark([1, 2, 840, 113_635, 100, 6, 11, 1])
            }
        )
        self.root = try Self.der(root)
        self.chain = try [leaf, intermediate, root].map { Data(try Self.der($0)).base64EncodedString() }
    }

    private func signed(_ members: [String: any Sendable]) throws -> String {
        let header: [String: any Sendable] = ["alg": "ES256", "x5c": self.chain]
        let content = try [header, members].map {
            try JSONSerialization.data(withJSONObject: $0).base64URL
        }.joined(separator: ".")
        let signature = try self.key.signature(for: Data(content.utf8))
        return "\(content).\(signature.rawRepresentation.base64URL)"
    }

    private static func certificate(
        of key: P256.Signing.PublicKey,
        _ name: String,
        by issuerKey: P256.Signing.PrivateKey,
        _ issuer: String,
        extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: .init(key),
            notValidBefore: Date(timeIntervalSince1970: 1_500_000_000),
            notValidAfter: Date(timeIntervalSince1970: 2_200_000_000),
            issuer: DistinguishedName { CommonName(issuer) },
            subject: DistinguishedName { CommonName(name) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: .init(issuerKey)
        )
    }

    private static func mark(_ components: [UInt]) throws -> Certificate.Extension {
        Certificate.Extension(oid: try ASN1ObjectIdentifier(elements: components), critical: false, value: [5, 0])
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}

/// Another app of the same operator.
let otherBundle = "com.example.other"
