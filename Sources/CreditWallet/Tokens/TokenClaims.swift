import Foundation
import JWTKit

/// The claims of a token that `credit-wallet token` or `dev` creates.
struct TokenClaims: JWTPayload {
    let iss: IssuerClaim
    let aud: AudienceClaim
    let sub: SubjectClaim
    let role: String
    let iat: IssuedAtClaim
    let exp: ExpirationClaim

    func verify(using algorithm: some JWTAlgorithm) throws {
        try self.exp.verifyNotExpired()
    }
}
