extension IssuerConfiguration {
    /// Refuses an issuer that could not be told from others or whose tokens prove nothing.
    func validate() throws(WalletAPIError) {
        let name = self.issuer.isEmpty ? "an issuer" : "issuer \(self.issuer)"
        if self.issuer.isEmpty { throw .configuration("An issuer has no iss value.") }
        if self.audiences.isEmpty || self.audiences.contains("") {
            throw .configuration("\(name) names no audience.")
        }
        if self.sharedSecret == nil && self.jwksURL == nil {
            throw .configuration("\(name) has neither a shared secret nor a JWKS address.")
        }
        if let secret = self.sharedSecret, secret.count < 32 {
            throw .configuration("\(name) has a shared secret of fewer than 32 bytes.")
        }
        if self.prefix.unicodeScalars.count > 64 || !Subject.isClean(self.prefix) {
            throw .configuration("\(name) has a prefix that is too long or holds control characters.")
        }
    }

    /// Refuses issuers that together let one party speak for another's users.
    static func validate(_ issuers: [IssuerConfiguration]) throws(WalletAPIError) {
        for issuer in issuers { try issuer.validate() }
        try Self.refuseDuplicates(issuers.map(\.issuer), "Two issuers have the same iss value.")
        let users = issuers.filter { $0.purpose == .users }
        if users.isEmpty { throw .configuration("No issuer of user tokens is configured.") }
        // An empty prefix is one prefix among others here, so at most one issuer has it.
        try Self.refuseDuplicates(users.map(\.prefix), "Two issuers of user tokens have the same prefix.")
        let userSecrets = Set(users.compactMap(\.sharedSecret))
        for issuer in issuers where issuer.purpose == .operators {
            guard let secret = issuer.sharedSecret, userSecrets.contains(secret) else { continue }
            throw .configuration("Operator issuer \(issuer.issuer) shares its secret with an issuer of user tokens.")
        }
    }

    private static func refuseDuplicates(_ values: [String], _ reason: String) throws(WalletAPIError) {
        if Set(values.map { Array($0.utf8) }).count != values.count { throw .configuration(reason) }
    }
}
