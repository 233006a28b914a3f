import Crypto
public import Foundation
import JOSE

/// A sign-in that has begun and waits for the browser's return from the issuer.
///
/// The caller stores it for ten minutes in a signed cookie that scripts cannot read. The caller removes the cookie when
/// the browser returns, whatever the result. Each pending sign-in is used once.
public struct PendingSignIn: Sendable, Codable, Equatable {
    /// The number of seconds within which the browser must return.
    public static let lifetime: TimeInterval = 600

    /// The value that the browser must return.
    let state: String
    /// The value that the ID token must contain.
    let nonce: String
    /// The PKCE code verifier, which proves that this service requested the code.
    let codeVerifier: String
    /// The page to return to: a path of this site, with its query.
    public let returnTo: String
    /// The time at which the sign-in began.
    public let createdAt: Date
    /// A Boolean value that indicates whether the operator must authenticate again, even with a session at the issuer.
    public let again: Bool

    /// Begins a sign-in with unpredictable values.
    init(returnTo: String, again: Bool, at now: Date) throws(SignInError) {
        guard Self.isOwnPath(returnTo) else { throw .returnPath }
        self.state = RandomText.make()
        self.nonce = RandomText.make()
        self.codeVerifier = RandomText.make()
        self.returnTo = returnTo
        self.createdAt = now
        self.again = again
    }

    /// Decodes a pending sign-in and validates its return path again.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` for values that this service cannot have created.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.state = try container.decode(String.self, forKey: .state)
        self.nonce = try container.decode(String.self, forKey: .nonce)
        self.codeVerifier = try container.decode(String.self, forKey: .codeVerifier)
        self.returnTo = try container.decode(String.self, forKey: .returnTo)
        self.createdAt = try container.decode(Date.self, forKey: .createdAt)
        self.again = try container.decode(Bool.self, forKey: .again)
        let isWhole = [self.state, self.nonce, self.codeVerifier].allSatisfy { $0.utf8.count == RandomText.length }
        guard isWhole, Self.isOwnPath(self.returnTo) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "The values are not of a pending sign-in."
                )
            )
        }
    }

    /// Returns a Boolean value that indicates whether a text is a path of this site.
    ///
    /// Browsers interpret `//host` and `/\host` as addresses of other sites. They also remove tabs and line breaks, so
    /// a text with these characters is refused.
    ///
    /// - Parameter text: A path, optionally with a query.
    /// - Returns: `true` if the text cannot lead to another site.
    public static func isOwnPath(_ text: String) -> Bool {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        let segments = path.split(separator: "/").map { $0.lowercased().replacing("%2e", with: ".") }
        return text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= 2_048
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
            && !path.contains("//") && !segments.contains(".") && !segments.contains("..")
    }
}

extension PendingSignIn: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The time at which the sign-in began, without secret values.
    public var description: String { "a sign-in started at \(self.createdAt)" }
    /// The same text as ``description``, so that logs never contain secrets.
    public var debugDescription: String { self.description }
    /// A mirror without members, because they would include secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Creates unpredictable texts and compares texts in constant time.
enum RandomText {
    /// The length of each text: 256 bits, which is also a valid length for a PKCE code verifier.
    static let length = 43

    /// Returns a text of 256 random bits.
    static func make() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64URL }
    }

    /// Returns whether two texts have the same bytes; the comparison takes constant time.
    ///
    /// The operator `==` of `String` also treats canonically equivalent texts as equal, which is not acceptable for
    /// identifiers.
    static func isSame(_ left: String, _ right: String) -> Bool {
        SHA256.hash(data: Data(left.utf8)) == SHA256.hash(data: Data(right.utf8))
    }
}
