import Foundation
import Hummingbird
import Stores

/// The issuer in a request's token, not verified.
///
/// It selects the wallet, which then verifies the token.
struct UnprovenIssuer: Decodable {
    let iss: ExactText

    /// Reads the issuer; returns nil if the request has no token or the token has no issuer.
    ///
    /// - Parameter request: The request.
    init?(of request: Request) {
        guard let token = try? BearerCredentials.token(in: request.headers),
            token.utf8.count <= CompactToken.maximumLength
        else { return nil }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Data(base64URL: parts[1].utf8),
            let issuer = try? JSONDecoder().decode(Self.self, from: claims)
        else { return nil }
        self = issuer
    }
}
