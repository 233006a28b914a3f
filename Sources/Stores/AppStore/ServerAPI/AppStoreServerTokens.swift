import Foundation
import JWTKit

/// The tokens with which the App Store Server API knows its callers: JWTs signed by ES256.
///
/// One is used until a minute before it ends, so that a call that waits for its turn still carries a valid one.
actor AppStoreServerTokens {
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int64
        let exp: Int64
        var aud = "appstoreconnect-v1"
        let bid: String

        /// The store verifies what this service signs; nobody verifies it here.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private struct Token {
        let text: String
        let usable: Range<Date>
    }

    private static let longestLifetime: TimeInterval = 3_600
    private static let margin: TimeInterval = 60

    private let keyID: JWKIdentifier
    private let issuerID: String
    private let bundleID: String
    private let key: ES256PrivateKey
    private let lifetime: TimeInterval
    private let now: @Sendable () -> Date
    private var current: Token?

    /// Reads the private key.
    /// - Parameters:
    ///   - configuration: the key and who signs with it.
    ///   - now: the wall clock by which tokens are dated.
    /// - Throws: ``StoreError`` `misconfigured` where the key is none, or a name is empty.
    init(configuration: AppStoreServerAPIConfiguration, now: @escaping @Sendable () -> Date) throws(StoreError) {
        let names = [configuration.issuerID, configuration.keyID, configuration.bundleID]
        guard let key = try? ES256PrivateKey(pem: configuration.privateKeyPEM),
            !names.contains("")
        else { throw StoreError(.misconfigured) }
        self.key = key
        self.keyID = JWKIdentifier(string: configuration.keyID)
        self.issuerID = configuration.issuerID
        self.bundleID = configuration.bundleID
        let seconds = TimeInterval(configuration.tokenLifetime.components.seconds)
        self.lifetime = min(max(seconds, 1), Self.longestLifetime)
        self.now = now
    }

    /// A token that is valid now.
    ///
    /// A clock that was set back makes a new one: the store refuses tokens of the future.
    func token() async throws -> String {
        let now = self.now()
        if let current, current.usable.contains(now) { return current.text }
        let issuedAt = now.timeIntervalSince1970.rounded(.down)
        let text = try await self.signed(from: issuedAt, to: issuedAt + self.lifetime)
        let usableFor = max(self.lifetime - Self.margin, 0)
        let start = Date(timeIntervalSince1970: issuedAt)
        self.current = Token(text: text, usable: start..<start.addingTimeInterval(usableFor))
        return text
    }

    private func signed(from issuedAt: TimeInterval, to end: TimeInterval) async throws -> String {
        let claims = Claims(iss: self.issuerID, iat: Int64(issuedAt), exp: Int64(end), bid: self.bundleID)
        return try await JWTKeyCollection().add(ecdsa: self.key, kid: self.keyID).sign(claims, kid: self.keyID)
    }
}
