import Crypto
import Foundation
import JOSE

/// The tokens that authenticate calls of the App Store Server API: JWTs signed with ES256.
///
/// A token is reused until a minute before it expires, so that a call that waits for its turn still carries a valid
/// one.
actor AppStoreServerTokens {
    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud = "appstoreconnect-v1"
        let bid: String
    }

    private struct Token {
        let text: String
        let usable: Range<Date>
    }

    private static let longestLifetime: TimeInterval = 3_600
    private static let margin: TimeInterval = 60

    private let keyID: String
    private let issuerID: String
    private let bundleID: String
    private let key: SigningKey
    private let lifetime: TimeInterval
    private let now: @Sendable () -> Date
    private var current: Token?

    /// Creates the token source.
    /// - Parameters:
    ///   - configuration: The key, its id, the issuer id and the bundle id.
    ///   - now: The wall clock for the dates in tokens.
    /// - Throws: ``StoreError`` `misconfigured` if the key cannot be read or a name is empty.
    init(configuration: AppStoreServerAPIConfiguration, now: @escaping @Sendable () -> Date) throws(StoreError) {
        let names = [configuration.issuerID, configuration.keyID, configuration.bundleID]
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: configuration.privateKeyPEM),
            !names.contains("")
        else { throw StoreError(.misconfigured) }
        self.key = SigningKey(curve: key)
        self.keyID = configuration.keyID
        self.issuerID = configuration.issuerID
        self.bundleID = configuration.bundleID
        let seconds = TimeInterval(configuration.tokenLifetime.components.seconds)
        self.lifetime = min(max(seconds, 1), Self.longestLifetime)
        self.now = now
    }

    /// Returns a token that is currently valid.
    ///
    /// If the clock was set back, creates a new token: the store refuses tokens with a future date.
    func token() throws -> String {
        let now = self.now()
        if let current, current.usable.contains(now) { return current.text }
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        let text = try self.signed(from: issuedAt, to: issuedAt + self.lifetime)
        let usableFor = max(self.lifetime - Self.margin, 0)
        let start = Date(timeIntervalSince1970: issuedAt)
        self.current = Token(text: text, usable: start..<start.addingTimeInterval(usableFor))
        return text
    }

    private func signed(from issuedAt: TimeInterval, to end: TimeInterval) throws -> String {
        let claims = Claims(iss: self.issuerID, iat: Int64(issuedAt), exp: Int64(end), bid: self.bundleID)
        return try self.key.token(claims, keyID: self.keyID)
    }
}
