public import Foundation

/// A sign-in that was begun and for which the issuer has not sent the browser back yet.
///
/// The caller keeps it in a signed cookie of ten minutes, which no script can read, and takes it away when the browser
/// comes back, whatever comes of it. It is for one sign-in.
public struct PendingSignIn: Sendable, Codable, Equatable {
    /// For how many seconds the issuer is waited for.
    public static let lifetime: TimeInterval = 600

    /// What the browser must bring back.
    let state: String
    /// What the ID token must hold.
    let nonce: String
    /// What proves that the code is exchanged by the one who asked for it.
    let codeVerifier: String
    /// The page to lead back to: a path of this site, with its query.
    public let returnTo: String
    /// When it was begun.
    public let createdAt: Date
    /// Whether the operator is to prove again who it is, signed in or not.
    public let again: Bool

    /// Begins a sign-in, with values that nobody can know before.
    init(returnTo: String, again: Bool, at now: Date) throws(SignInError) {
        guard Self.isOwnPath(returnTo) else { throw .returnPath }
        self.state = RandomText.make()
        self.nonce = RandomText.make()
        self.codeVerifier = RandomText.make()
        self.returnTo = returnTo
        self.createdAt = now
        self.again = again
    }

    /// Reads one back, and looks again where it leads.
    ///
    /// - Parameter decoder: Where from.
    /// - Throws: `DecodingError` for what cannot have been begun here.
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
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "No sign-in begins so.")
            )
        }
    }

    /// Returns whether a text is a path of this site.
    ///
    /// Browsers read `//host`, `/\host` and, since they drop tabs and lines, what holds those, as another site's address.
    ///
    /// - Parameter text: A path, perhaps with a query.
    /// - Returns: Whether it leads nowhere else.
    public static func isOwnPath(_ text: String) -> Bool {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        let segments = path.split(separator: "/").map { $0.lowercased().replacing("%2e", with: ".") }
        return text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= 2_048
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
            && !path.contains("//") && !segments.contains(".") && !segments.contains("..")
    }
}

extension PendingSignIn: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// When it was begun, without what must stay secret.
    public var description: String { "a sign-in begun at \(self.createdAt)" }
    /// The same: nothing secret is in a log.
    public var debugDescription: String { self.description }
    /// No members: secrets would be among them.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
