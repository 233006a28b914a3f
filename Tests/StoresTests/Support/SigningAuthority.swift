import Crypto
import Foundation
import SwiftASN1
import X509

/// A test certificate authority with the structure of the App Store's.
struct SigningAuthority: Sendable {
    /// Deviations from the store's own certificates.
    struct Shape: Sendable {
        var leafIsMarked = true
        var intermediateIsMarked = true
        var leafFrom = signingTime.addingTimeInterval(-200 * 86_400)
        var leafUntil = signingTime.addingTimeInterval(200 * 86_400)
        var responder: String?
        var leafIsP384 = false
    }

    static let intermediateMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 2, 1]
    static let leafMark: ASN1ObjectIdentifier = [1, 2, 840, 113_635, 100, 6, 11, 1]

    let key = P256.Signing.PrivateKey()
    let intermediateKey = P384.Signing.PrivateKey()
    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate

    init(_ change: (inout Shape) -> Void = { _ in }) throws {
        var shape = Shape()
        change(&shape)
        let rootKey = P384.Signing.PrivateKey()
        self.root = try Self.root(key: rootKey)
        self.intermediate = try Self.issue(
            to: "Intermediate",
            key: Certificate.PublicKey(self.intermediateKey.publicKey),
            valid: signingTime.addingTimeInterval(-900 * 86_400)...signingTime.addingTimeInterval(900 * 86_400),
            by: "Root",
            issuerKey: Certificate.PrivateKey(rootKey),
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                if shape.intermediateIsMarked { Self.mark(Self.intermediateMark) }
            }
        )
        let otherKey = P384.Signing.PrivateKey()
        self.leaf = try Self.issue(
            to: "Signer",
            key: shape.leafIsP384
                ? Certificate.PublicKey(otherKey.publicKey) : Certificate.PublicKey(self.key.publicKey),
            valid: shape.leafFrom...shape.leafUntil,
            by: "Intermediate",
            issuerKey: Certificate.PrivateKey(self.intermediateKey),
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                if shape.leafIsMarked { Self.mark(Self.leafMark) }
                if let responder = shape.responder {
                    AuthorityInformationAccess([
                        .init(method: .ocspServer, location: .uniformResourceIdentifier(responder))
                    ])
                }
            }
        )
    }

    /// Returns another leaf certificate under the same intermediate.
    func certificate(for key: P256.Signing.PrivateKey) throws -> Certificate {
        try Self.issue(
            to: "Signer",
            key: Certificate.PublicKey(key.publicKey),
            valid: self.leaf.notValidBefore...self.leaf.notValidAfter,
            by: "Intermediate",
            issuerKey: Certificate.PrivateKey(self.intermediateKey),
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Self.mark(Self.leafMark)
            }
        )
    }

    /// The certificates in the format of the `x5c` header.
    var certificates: [String] {
        get throws { try [self.leaf, self.intermediate, self.root].map { Data(try $0.der).base64EncodedString() } }
    }

    /// Signs a payload as the store does, or with a changed header.
    func sign(
        _ payload: [String: any Sendable],
        header change: [String: any Sendable] = [:],
        with key: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        let header: [String: any Sendable] = ["alg": "ES256", "x5c": try self.certificates]
        let input = try [header.merging(change) { $1 }, payload]
            .map { try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys).base64URL }
            .joined(separator: ".")
        let signature = try (key ?? self.key).signature(for: Data(input.utf8)).rawRepresentation
        return "\(input).\(signature.base64URL)"
    }

    /// Signs the bytes unchanged.
    func sign(bytes: Data) throws -> String {
        let header: [String: any Sendable] = ["alg": "ES256", "x5c": try self.certificates]
        let head = try JSONSerialization.data(withJSONObject: header, options: .sortedKeys)
        let input = "\(head.base64URL).\(bytes.base64URL)"
        return "\(input).\(try self.key.signature(for: Data(input.utf8)).rawRepresentation.base64URL)"
    }

    private static func root(key: P384.Signing.PrivateKey) throws -> Certificate {
        try self.issue(
            to: "Root",
            key: Certificate.PublicKey(key.publicKey),
            valid: signingTime.addingTimeInterval(-1_000 * 86_400)...signingTime.addingTimeInterval(1_000 * 86_400),
            by: "Root",
            issuerKey: Certificate.PrivateKey(key),
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            }
        )
    }

    private static func issue(
        to subject: String,
        key: Certificate.PublicKey,
        valid: ClosedRange<Date>,
        by issuer: String,
        issuerKey: Certificate.PrivateKey,
        extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key,
            notValidBefore: valid.lowerBound,
            notValidAfter: valid.upperBound,
            issuer: try DistinguishedName { CommonName("Test \(issuer)") },
            subject: try DistinguishedName { CommonName("Test \(subject)") },
            signatureAlgorithm: .ecdsaWithSHA384,
            extensions: extensions,
            issuerPrivateKey: issuerKey
        )
    }

    private static func mark(_ oid: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: oid, critical: false, value: [0x05, 0x00])
    }
}

/// The time at which all test data was signed, and the time of the wallet's clock.
let signingTime = Date(timeIntervalSince1970: 1_800_000_000)

extension Certificate {
    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}

extension Data {
    var base64URL: String {
        self.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
