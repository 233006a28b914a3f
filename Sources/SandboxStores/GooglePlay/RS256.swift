import Crypto
import CryptoExtras
import Foundation

/// JSON web tokens signed with RSA and SHA-256: what Pub/Sub signs, and what service accounts sign.
enum RS256 {
    /// Signs claims.
    /// - Parameters:
    ///   - claims: what the token says.
    ///   - key: the signer's key.
    ///   - keyID: the key's name in the published key set.
    /// - Returns: the compact form of the token.
    /// - Throws: when the library cannot sign.
    static func sign(_ claims: StoreJSON, with key: _RSA.Signing.PrivateKey, keyID: String) throws -> String {
        let header: StoreJSON = ["alg": "RS256", "kid": .text(keyID), "typ": "JWT"]
        let signed = try header.bytes.base64URL + "." + claims.bytes.base64URL
        let signature = try key.signature(for: SHA256.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
        return signed + "." + signature.rawRepresentation.base64URL
    }

    /// The claims of a token, if the key signed it.
    /// - Parameters:
    ///   - type: what to read the claims as.
    ///   - token: the compact form of the token.
    ///   - key: the key that must have signed it.
    /// - Returns: the claims, or nil for what that key did not sign with RS256 or what is no such token.
    static func claims<Claims: Decodable>(
        _ type: Claims.Type,
        of token: String,
        signedBy key: _RSA.Signing.PublicKey
    ) -> Claims? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count == 3,
            let header = Data(base64URL: parts[0]).flatMap({ try? JSONDecoder().decode(Header.self, from: $0) }),
            header.alg == "RS256",
            let payload = Data(base64URL: parts[1]),
            let signature = Data(base64URL: parts[2])
        else { return nil }
        let digest = SHA256.hash(data: Data("\(parts[0]).\(parts[1])".utf8))
        let isGood = key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature),
            for: digest,
            padding: .insecurePKCS1v1_5
        )
        return isGood ? try? JSONDecoder().decode(type, from: payload) : nil
    }

    private struct Header: Decodable {
        let alg: String
    }
}
