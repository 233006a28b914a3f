extension OpenIDConfiguration {
    /// Refuses a configuration that no sign-in can succeed with, or that would trust what anybody can say.
    ///
    /// - Throws: ``SignInError/invalidConfiguration(_:)`` naming what is wrong.
    public func validate() throws(SignInError) {
        guard self.isAcceptable(self.issuer), !self.issuer.contains("?") else {
            throw .invalidConfiguration("The issuer is not an https address without a query.")
        }
        guard self.isAcceptable(self.redirectURL) else {
            throw .invalidConfiguration("The redirect address is not an https address.")
        }
        if self.clientID.isEmpty { throw .invalidConfiguration("The client id is empty.") }
        if self.clientSecret?.isEmpty == true { throw .invalidConfiguration("The client secret is empty.") }
        guard self.scopes.split(separator: " ").contains("openid") else {
            throw .invalidConfiguration("The scopes lack openid.")
        }
        guard (0...300).contains(self.leeway) else {
            throw .invalidConfiguration("The leeway is not between 0 and 300 seconds.")
        }
        guard self.timeout > .zero, self.maximumBytes > 0 else {
            throw .invalidConfiguration("The timeout or the largest answer is not above 0.")
        }
    }

    /// Returns whether an address is one that secrets may be sent to.
    func isAcceptable(_ address: String) -> Bool {
        IssuerAddress.isAcceptable(address, allowsPlainLoopback: self.allowsPlainLoopback)
    }

    /// Where the issuer describes itself: one slash at the issuer's end is left out, as OpenID Connect Discovery says.
    var discoveryURL: String {
        let base = self.issuer.hasSuffix("/") ? String(self.issuer.dropLast()) : self.issuer
        return base + "/.well-known/openid-configuration"
    }
}
