import Crypto
import CryptoExtras
import Foundation

/// JSON web tokens signed with RSA and SHA-256, as Pub/Sub and service accounts use them.
enum RS256 {
    /// Returns a signed token.
    /// - Parameters:
    ///   - claims: The claims of the token.
    ///   - key: The signer's key.
    ///   - keyID: The id of the key in the published key set.
    /// - Returns: The token in the compact form.
    /// - Throws: The library's signing errors.
    static func sign(_ claims: StoreJSON, with key: _RSA.Signing.PrivateKey, keyID: String) throws -> String {
        let header: StoreJSON = ["alg": "RS256", "kid": .text(keyID), "typ": "JWT"]
        let signed = try header.bytes.base64URL + "." + claims.bytes.base64URL
        let signature = try key.signature(for: SHA256.hash(data: Data(signed.utf8)), padding: .insecurePKCS1v1_5)
        return signed + "." + signature.rawRepresentation.base64URL
    }

    /// Returns the claims of a token after verifying its signature.
    /// - Parameters:
    ///   - type: The type of the claims.
    ///   - token: The token in the compact form.
    ///   - key: The key that must have signed it.
    /// - Returns: The claims, or nil if the token is invalid or not signed with RS256 by that key.
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
