import WalletAPI

/// An issuer of user tokens whose secret is available, so that tokens can be signed locally.
struct IssuerOfUsers: Sendable {
    private static let lifetime = 7_200

    let name: String
    /// The text that precedes each `sub` in the service's user ids.
    let prefix: String
    private let signer: TokenSigner

    init(_ issuer: IssuerConfiguration) throws(CommandError) {
        self.name = issuer.issuer
        self.prefix = issuer.prefix
        self.signer = try TokenSigner(issuer)
    }

    /// Signs a token with a lifetime of two hours, which is longer than any load.
    func token(for subject: String) async throws -> String {
        try await self.signer.token(for: subject, role: "authenticated", lifetime: Self.lifetime)
    }
}
