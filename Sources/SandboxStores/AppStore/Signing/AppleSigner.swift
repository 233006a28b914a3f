import Crypto
import Foundation

/// Signs the App Store's data as a compact JWS: ES256, with the chain of three certificates in `x5c`.
struct AppleSigner: Sendable {
    private let key: P256.Signing.PrivateKey
    private let header: String

    init(authority: AppleAuthority) throws {
        self.key = try P256.Signing.PrivateKey(rawRepresentation: authority.leafKey)
        let chain = [authority.leaf, authority.intermediate, authority.root]
        let header: [String: AppleJSON] = [
            "alg": .text("ES256"),
            "x5c": .list(chain.map { .text($0.base64EncodedString()) }),
        ]
        self.header = try Self.encode(.object(header))
    }

    /// Signs a payload.
    func sign(_ payload: [String: AppleJSON]) throws -> String {
        let signed = try "\(self.header).\(Self.encode(.object(payload)))"
        let signature = try self.key.signature(for: Data(signed.utf8)).rawRepresentation
        return "\(signed).\(signature.base64URL)"
    }

    private static func encode(_ value: AppleJSON) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return try encoder.encode(value).base64URL
    }
}

extension Data {
    /// The bytes as base64url without padding, as JOSE requires.
    var base64URL: String {
        let base64 = self.base64EncodedString().split(separator: "=", maxSplits: 1).first ?? ""
        return String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// Creates bytes from base64url without padding.
    init?(base64URL text: some StringProtocol) {
        let base64 = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        self.init(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}

extension AppleJSON {
    /// Returns an instant in the format of signed payloads: milliseconds since 1970.
    static func milliseconds(_ date: Date) -> AppleJSON {
        .number(Int((date.timeIntervalSince1970 * 1_000).rounded()))
    }
}
