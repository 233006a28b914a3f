import WalletAPI

extension TokenSigner {
    /// Makes a signer for an issuer with a shared secret; fails for one without.
    init(_ configuration: IssuerConfiguration) throws(CommandError) {
        guard let secret = configuration.sharedSecret, let audience = configuration.audiences.first else {
            throw CommandError(.configuration, "Issuer \(configuration.issuer) has no HS256 secret to sign with.")
        }
        self.init(issuer: configuration.issuer, audience: audience, secret: secret)
    }
}
