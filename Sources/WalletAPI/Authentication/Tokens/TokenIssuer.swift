import AsyncHTTPClient
import Foundation
import Logging
import Stores

/// An accepted issuer and its keys.
struct TokenIssuer: Sendable {
    let configuration: IssuerConfiguration
    private let secret: PinnedKey?
    private let published: JWKSCache?

    init(
        _ configuration: IssuerConfiguration,
        keySets: KeySetConfiguration,
        client: HTTPClient,
        logger: Logger,
        now: @escaping @Sendable () -> Date
    ) async throws {
        self.configuration = configuration
        if let secret = configuration.sharedSecret {
            self.secret = try await PinnedKey(secret: secret)
        } else {
            self.secret = nil
        }
        if let url = configuration.jwksURL {
            let source = try KeySetSource(url: url, configuration: keySets, client: client, logger: logger)
            self.published = JWKSCache(source: source, now: now)
        } else {
            self.published = nil
        }
    }

    /// Returns the key that must have signed a token.
    ///
    /// HS256 always uses the shared secret, so a public key is never used as an HMAC secret.
    func key(for header: TokenHeader) async throws(WalletAPIError) -> PinnedKey {
        let algorithm = try header.pinnedAlgorithm()
        if algorithm == .hs256 {
            guard let secret = self.secret else { throw .refused("The issuer does not sign with HS256.") }
            return secret
        }
        guard let published = self.published else { throw .refused("The issuer does not sign with published keys.") }
        guard let keyID = header.keyID, (1...256).contains(keyID.text.utf8.count) else {
            throw .refused("The token has no key id.")
        }
        return try await published.key(keyID, algorithm: algorithm)
    }
}
