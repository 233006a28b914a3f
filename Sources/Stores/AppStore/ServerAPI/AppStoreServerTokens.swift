import Crypto
import Foundation
import Synchronization

/// The tokens with which the App Store Server API knows its callers: JWTs signed by ES256.
///
/// One is used until a minute before it ends, so that a call that waits for its turn still carries a valid one.
final class AppStoreServerTokens: Sendable {
    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
        let typ = "JWT"
    }

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

    private let header: Header
    private let issuerID: String
    private let bundleID: String
    private let key: P256.Signing.PrivateKey
    private let lifetime: TimeInterval
    private let now: @Sendable () -> Date
    private let current = Mutex<Token?>(nil)

    /// Reads the private key.
    /// - Parameters:
    ///   - configuration: the key and who signs with it.
    ///   - now: the wall clock by which tokens are dated.
    /// - Throws: ``StoreError`` `misconfigured` where the key is none, or a name is empty.
    init(configuration: AppStoreServerAPIConfiguration, now: @escaping @Sendable () -> Date) throws(StoreError) {
        let names = [configuration.issuerID, configuration.keyID, configuration.bundleID]
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: configuration.privateKeyPEM),
            !names.contains("")
        else { throw StoreError(.misconfigured) }
        self.key = key
        self.header = Header(kid: configuration.keyID)
        self.issuerID = configuration.issuerID
        self.bundleID = configuration.bundleID
        let seconds = TimeInterval(configuration.tokenLifetime.components.seconds)
        self.lifetime = min(max(seconds, 1), Self.longestLifetime)
        self.now = now
    }

    /// A token that is valid now.
    ///
    /// A clock that was set back makes a new one: the store refuses tokens of the future.
    func token() throws -> String {
        let now = self.now()
        return try self.current.withLock { current in
            if let current, current.usable.contains(now) { return current.text }
            let issuedAt = now.timeIntervalSince1970.rounded(.down)
            let text = try self.signed(from: issuedAt, to: issuedAt + self.lifetime)
            let usableFor = max(self.lifetime - Self.margin, 0)
            let start = Date(timeIntervalSince1970: issuedAt)
            current = Token(text: text, usable: start..<start.addingTimeInterval(usableFor))
            return text
        }
    }

    private func signed(from issuedAt: TimeInterval, to end: TimeInterval) throws -> String {
        let claims = Claims(iss: self.issuerID, iat: Int64(issuedAt), exp: Int64(end), bid: self.bundleID)
        return try compactJWT(header: self.header, claims: claims) { content in
            try self.key.signature(for: content).rawRepresentation
        }
    }
}
