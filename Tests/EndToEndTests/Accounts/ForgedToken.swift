import WalletClient

/// A token that the wallet must reject.
enum ForgedToken: CaseIterable {
    case unsigned
    case unsignedWithSignature
    case expired
    case wrongSecret
    case otherAudience
    case otherIssuer
    case projectKey
    case serviceKey
    case withoutSubject
    case emptySubject
    case subjectWithNUL
    case expiryBeyondNumbers
    case stolenSignature
    case noToken

    func token(for user: String, by wallet: LiveWallet) throws -> String {
        let mint = wallet.users
        let claims = mint.claims(of: user)
        switch self {
        case .unsigned: return try mint.sign(claims, algorithm: "none")
        case .unsignedWithSignature: return try mint.sign(claims, algorithm: "none") + "c2lnbmF0dXJl"
        case .expired: return try mint.sign(mint.claims(of: user, lifetime: -120))
        case .wrongSecret: return try mint.sign(claims, secret: "another-secret-that-is-long-enough-too")
        case .otherAudience: return try mint.sign(mint.claims(of: user, audience: "another-service"))
        case .otherIssuer: return try mint.sign(mint.claims(of: user, issuer: "https://other.example"))
        case .projectKey: return try mint.sign(mint.claims(of: user, role: "anon"))
        case .serviceKey: return try mint.sign(mint.claims(of: user, role: "service_role"))
        case .withoutSubject: return try mint.sign(mint.claims(of: nil))
        case .emptySubject: return try mint.sign(mint.claims(of: ""))
        case .subjectWithNUL: return try mint.sign(mint.claims(of: "\(user)\u{0}"))
        case .expiryBeyondNumbers: return try mint.sign(claims.merging(["exp": .string("never")]) { $1 })
        case .stolenSignature:
            let signature = try mint.token(for: "somebody-else").split(separator: ".")[2]
            let signed = try mint.sign(claims).split(separator: ".")
            return "\(signed[0]).\(signed[1]).\(signature)"
        case .noToken: return "not-a-token"
        }
    }
}
