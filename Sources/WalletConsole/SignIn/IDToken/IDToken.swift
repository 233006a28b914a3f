import Foundation
import Wallet

/// A decoded but unverified ID token.
///
/// Do not trust its contents before ``SigningKey/signed(_:)`` returns `true`.
struct IDToken: Sendable {
    let header: IDTokenHeader
    let claims: [String: JSONValue]
    let signingInput: Data
    let signature: Data

    /// Decodes a token and refuses headers that no key of the issuer can have signed.
    init(_ token: String) throws(SignInError) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.data(parts[2]) else { throw .idToken(.malformed) }
        self.header = try Self.decode(IDTokenHeader.self, parts[0])
        self.claims = try Self.decode([String: JSONValue].self, parts[1])
        self.signingInput = Data(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        self.signature = signature
        _ = try self.header.pinnedAlgorithm()
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, _ text: Substring) throws(SignInError) -> Part {
        guard let data = Base64URL.data(text) else { throw .idToken(.malformed) }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw .idToken(.malformed)
        }
    }
}
