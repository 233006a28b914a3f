import Foundation
import Hummingbird
import Stores

/// Who a request's token says it is of, which proves nothing: it picks the wallet that then looks at the token.
struct UnprovenIssuer: Decodable {
    let iss: ExactText

    /// Reads it; nil where there is no token, or none that says so.
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
