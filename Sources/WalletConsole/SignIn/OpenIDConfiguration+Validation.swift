extension OpenIDConfiguration {
    /// Refuses a configuration with which no sign-in can succeed, or that would trust unauthenticated data.
    ///
    /// - Throws: ``SignInError/invalidConfiguration(_:)`` with the reason.
    public func validate() throws(SignInError) {
        guard self.isAcceptable(self.issuer), !self.issuer.contains("?") else {
            throw .invalidConfiguration("The issuer must be an https address without a query.")
        }
        guard self.isAcceptable(self.redirectURL) else {
            throw .invalidConfiguration("The redirect address must be an https address.")
        }
        if self.clientID.isEmpty { throw .invalidConfiguration("The client id is empty.") }
        if self.clientSecret?.isEmpty == true { throw .invalidConfiguration("The client secret is empty.") }
        guard self.scopes.split(separator: " ").contains("openid") else {
            throw .invalidConfiguration("The scopes must contain openid.")
        }
        guard (0...300).contains(self.leeway) else {
            throw .invalidConfiguration("The leeway must be between 0 and 300 seconds.")
        }
        guard self.timeout > .zero, self.maximumBytes > 0 else {
            throw .invalidConfiguration("The timeout and the maximum response size must be greater than 0.")
        }
    }

    /// Returns whether secrets may be sent to an address.
    func isAcceptable(_ address: String) -> Bool {
        IssuerAddress.isAcceptable(address, allowsPlainLoopback: self.allowsPlainLoopback)
    }

    /// The address of the issuer's metadata.
    ///
    /// A slash at the issuer's end is omitted, as OpenID Connect Discovery requires.
    var discoveryURL: String {
        let base = self.issuer.hasSuffix("/") ? String(self.issuer.dropLast()) : self.issuer
        return base + "/.well-known/openid-configuration"
    }
}
