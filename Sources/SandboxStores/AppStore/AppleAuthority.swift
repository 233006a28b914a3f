import Crypto
import Foundation
import JOSE
import JSON
import SwiftASN1
import X509

/// A certificate authority like Apple's, with its own root, and the key for the App Store's signatures.
struct AppleAuthority: Codable, Sendable {
    /// The root certificate, DER.
    let root: Data
    /// The intermediate certificate, DER.
    let intermediate: Data
    /// The certificate of the signing key, DER.
    let leaf: Data
    /// The signing key, raw.
    let leafKey: Data

    private static let validFrom = Date(timeIntervalSince1970: 1_420_070_400)
    private static let validFor: TimeInterval = 30 * 366 * 86_400

    /// Returns the authority stored in a folder, and creates it if there is none; without a folder, returns a new
    /// authority.
    /// - Parameter directory: The folder of the stores' state.
    /// - Returns: The authority.
    /// - Throws: ``SandboxStoresError`` with `unreadableState` if the file exists but is not an authority.
    static func open(directory: String?) throws -> AppleAuthority {
        guard let directory else { return try AppleAuthority() }
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        let file = folder.appendingPathComponent("sandbox-authority.json")
        guard FileManager.default.fileExists(atPath: file.path) else {
            let authority = try AppleAuthority()
            try JSONEncoder().encode(authority).write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            return authority
        }
        do {
            return try JSONDecoder().decode(AppleAuthority.self, from: Data(contentsOf: file))
        } catch {
            throw SandboxStoresError(.unreadableState)
        }
    }

    /// Creates an authority.
    ///
    /// Its certificates are valid from 2015 until thirty years from now, so that they stay valid after the stores'
    /// clock is advanced.
    init() throws {
        let rootKey = P256.Signing.PrivateKey()
        let middleKey = P256.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        let rootName = try Self.name("Sandbox Stores Root CA")
        let middleName = try Self.name("Sandbox Stores Intermediate CA")
        let leafName = try Self.name("Sandbox Stores Receipt Signing")
        let root = try Self.certificate(rootKey, rootName, by: rootKey, rootName, Self.authority(pathLength: nil))
        let middleRights = try Self.authority(pathLength: 0, marker: [1, 2, 840, 113_635, 100, 6, 2, 1])
        let middle = try Self.certificate(middleKey, middleName, by: rootKey, rootName, middleRights)
        let leafRights = try Self.signer(marker: [1, 2, 840, 113_635, 100, 6, 11, 1])
        let leaf = try Self.certificate(leafKey, leafName, by: middleKey, middleName, leafRights)
        self.root = try Self.der(root)
        self.intermediate = try Self.der(middle)
        self.leaf = try Self.der(leaf)
        self.leafKey = leafKey.rawRepresentation
    }

    private static func name(_ common: String) throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(common)
            OrganizationName("Credit Wallet sandbox stores")
        }
    }

    private static func certificate(
        _ key: P256.Signing.PrivateKey,
        _ subject: DistinguishedName,
        by issuerKey: P256.Signing.PrivateKey,
        _ issuer: DistinguishedName,
        _ extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: self.validFrom,
            notValidAfter: Date(timeIntervalSinceNow: self.validFor),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }

    private static func authority(pathLength: Int?, marker: ASN1ObjectIdentifier? = nil) throws
        -> Certificate.Extensions
    {
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }
        if let marker { try extensions.append(self.mark(marker)) }
        return extensions
    }

    private static func signer(marker: ASN1ObjectIdentifier) throws -> Certificate.Extensions {
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
        }
        try extensions.append(self.mark(marker))
        return extensions
    }

    /// Returns a marker extension as Apple sets it: its value is an ASN.1 NULL.
    private static func mark(_ marker: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: marker, critical: false, value: [0x05, 0x00])
    }

    private static func der(_ certificate: Certificate) throws -> Data {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return Data(serializer.serializedBytes)
    }
}

/// Signs the App Store's data as a compact JWS: ES256, with the chain of three certificates in `x5c`.
struct AppleSigner: Sendable {
    private let key: SigningKey
    private let header: JSONValue

    init(authority: AppleAuthority) throws {
        self.key = SigningKey(curve: try P256.Signing.PrivateKey(rawRepresentation: authority.leafKey))
        let chain = [authority.leaf, authority.intermediate, authority.root]
        self.header = ["alg": "ES256", "x5c": .array(chain.map { .text($0.base64EncodedString()) })]
    }

    /// Signs a payload.
    func sign(_ payload: [String: JSONValue]) throws -> String {
        try self.key.sign(payload, header: self.header)
    }
}
