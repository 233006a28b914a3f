import Foundation
import Stores
import Wallet

/// A decoded but unverified JWT.
///
/// Do not trust its contents before ``PinnedKey/signed(_:)`` returns `true`.
struct CompactToken: Sendable {
    /// The maximum length of a token in bytes.
    static let maximumLength = 8 * 1024

    let header: TokenHeader
    let claims: TokenClaims
    let signingInput: Data
    private let payload: Substring
    let signature: Data

    init(_ token: String) throws(WalletAPIError) {
        guard token.utf8.count <= Self.maximumLength else { throw .refused("The token is too long.") }
        guard !token.hasPrefix("sb_") else { throw .refused("A project key is not a user's token.") }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Data(base64URL: parts[2].utf8) else { throw Self.malformed }
        self.header = try Self.decode(TokenHeader.self, parts[0])
        self.claims = try Self.decode(TokenClaims.self, parts[1])
        self.signingInput = Data(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        self.signature = signature
        self.payload = parts[1]
    }

    /// Decodes all claims, including those whose meaning is defined by the configuration.
    func allClaims() throws(WalletAPIError) -> JSONValue {
        try Self.decode(JSONValue.self, self.payload)
    }

    private static let malformed = WalletAPIError.refused("The token is malformed.")

    private static func decode<Part: Decodable>(_ type: Part.Type, _ text: Substring) throws(WalletAPIError) -> Part {
        guard let data = Data(base64URL: text.utf8) else { throw Self.malformed }
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw Self.malformed
        }
    }
}
