package import Foundation
package import JSON

/// Signed data in the compact form of RFC 7515.
///
/// The signature is not verified: do not trust the contents before ``VerificationKey/signed(_:)`` returns `true`.
package struct CompactJWS: Sendable {
    /// The header as sent, in base64url.
    package let encodedHeader: String
    /// The payload's bytes.
    package let payload: Data
    /// The bytes that the signature covers: header and payload as sent.
    package let signingInput: Data
    /// The signature's bytes.
    package let signature: Data

    /// Splits a text into its three parts and decodes payload and signature; returns nil for any other form.
    package init?(_ text: String) {
        // Splitting an array of bytes is several times faster than splitting the text's UTF-8 view.
        let bytes = Array(text.utf8)
        guard
            let parts = Self.parts(of: bytes), let payload = Data(base64URL: parts[1]),
            let signature = Data(base64URL: parts[2])
        else { return nil }
        self.encodedHeader = String(decoding: parts[0], as: UTF8.self)
        self.payload = payload
        self.signingInput = Data(bytes[..<parts[1].endIndex])
        self.signature = signature
    }

    /// Returns the payload of a text with three parts, even if the other two cannot be decoded.
    package static func payload(of text: String) -> Data? {
        self.parts(of: Array(text.utf8)).flatMap { Data(base64URL: $0[1]) }
    }

    private static func parts(of bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 ? parts : nil
    }

    /// Decodes the header; returns nil if it is not such a header.
    package func header<Header: Decodable>(as type: Header.Type = JOSEHeader.self) -> Header? {
        Data(base64URL: self.encodedHeader.utf8).flatMap { try? JSONDecoder().decode(type, external: $0) }
    }

    /// Decodes the payload; returns nil if it has no such claims.
    package func claims<Claims: Decodable>(as type: Claims.Type) -> Claims? {
        try? JSONDecoder().decode(type, external: self.payload)
    }
}

/// The members of a token's header that determine how the token is verified.
package struct JOSEHeader: Decodable, Equatable, Sendable {
    /// The name of the algorithm (`alg`), which may be unsupported.
    package let algorithm: String
    /// The id of the signer's key (`kid`).
    package let keyID: ExactText?
    /// The media type of the token (`typ`).
    package let type: String?
    /// A Boolean value that indicates whether the token requires extensions (`crit`), none of which is supported.
    package let isExtended: Bool

    private enum CodingKeys: String, CodingKey {
        case algorithm = "alg"
        case keyID = "kid"
        case type = "typ"
        case critical = "crit"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.algorithm = try container.decode(String.self, forKey: .algorithm)
        self.keyID = try container.decodeIfPresent(ExactText.self, forKey: .keyID)
        self.type = try container.decodeIfPresent(String.self, forKey: .type)
        self.isExtended = container.contains(.critical)
    }
}

/// The supported signature algorithms (RFC 7518); `none` is not one of them.
package enum SignatureAlgorithm: String, Sendable {
    case hs256 = "HS256"
    case es256 = "ES256"
    case rs256 = "RS256"
}
