import WalletAPI

extension TokenSigner {
    /// Creates a signer for an issuer; throws if the issuer has no shared secret.
    init(_ configuration: IssuerConfiguration) throws(CommandError) {
        guard let secret = configuration.sharedSecret, let audience = configuration.audiences.first else {
            throw CommandError(.configuration, "Issuer \(configuration.issuer) has no HS256 secret to sign tokens.")
        }
        self.init(issuer: configuration.issuer, audience: audience, secret: secret)
    }
}
