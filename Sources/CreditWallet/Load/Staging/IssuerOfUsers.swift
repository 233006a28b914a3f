import WalletAPI

/// An issuer whose secret is known here, so that tokens of users can be made in its name.
struct IssuerOfUsers: Sendable {
    private static let lifetime = 7_200

    let name: String
    /// What stands before each `sub` in the service's user ids.
    let prefix: String
    private let signer: TokenSigner

    init(_ issuer: IssuerConfiguration) throws(CommandError) {
        self.name = issuer.issuer
        self.prefix = issuer.prefix
        self.signer = try TokenSigner(issuer)
    }

    /// Signs a token that lives for two hours: longer than any load.
    func token(for subject: String) async throws -> String {
        try await self.signer.token(for: subject, role: "authenticated", lifetime: Self.lifetime)
    }
}
