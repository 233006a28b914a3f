import Foundation

extension IssuerConfiguration {
    /// Refuses an issuer that cannot be distinguished from others or whose tokens cannot be verified.
    func validate() throws(WalletAPIError) {
        let name = self.issuer.isEmpty ? "an issuer" : "issuer \(self.issuer)"
        if self.issuer.isEmpty { throw .configuration("An issuer has no iss value.") }
        if self.audiences.isEmpty || self.audiences.contains("") {
            throw .configuration("\(name) has no audience.")
        }
        if self.sharedSecret == nil && self.jwksURL == nil {
            throw .configuration("\(name) has neither a shared secret nor a JWKS address.")
        }
        if let secret = self.sharedSecret, secret.count < 32 {
            throw .configuration("\(name) has a shared secret of fewer than 32 bytes.")
        }
        if self.prefix.unicodeScalars.count > 64 || !Subject.isClean(self.prefix) {
            throw .configuration("\(name) has a prefix that is too long or contains control characters.")
        }
    }

    /// Refuses combinations of issuers in which one party could issue tokens for another issuer's users.
    static func validate(_ issuers: [IssuerConfiguration]) throws(WalletAPIError) {
        for issuer in issuers { try issuer.validate() }
        try Self.refuseDuplicates(issuers.map(\.issuer), "Two issuers have the same iss value.")
        let users = issuers.filter { $0.purpose == .users }
        if users.isEmpty { throw .configuration("No issuer of user tokens is configured.") }
        // The empty prefix is compared like any other prefix, so at most one issuer has it.
        try Self.refuseDuplicates(users.map(\.prefix), "Two issuers of user tokens have the same prefix.")
        for (index, issuer) in issuers.enumerated() {
            for other in issuers[..<index] where issuer.sharesSecret(with: other) || issuer.sharesKeySet(with: other) {
                throw .configuration("Issuers \(other.issuer) and \(issuer.issuer) sign with the same keys.")
            }
        }
    }

    /// Returns a Boolean value that indicates whether two issuers sign with the same secret.
    ///
    /// A party that holds a shared secret could issue tokens for the users of both issuers.
    ///
    /// - Parameter other: The other issuer.
    /// - Returns: `true` if both issuers have a secret and the secrets are equal.
    public func sharesSecret(with other: IssuerConfiguration) -> Bool {
        self.sharedSecret != nil && self.sharedSecret == other.sharedSecret
    }

    /// Returns a Boolean value that indicates whether two issuers publish their keys at the same address.
    ///
    /// The addresses are normalized before the comparison.
    ///
    /// - Parameter other: The other issuer.
    /// - Returns: `true` if both issuers have an address and the normalized addresses are equal.
    public func sharesKeySet(with other: IssuerConfiguration) -> Bool {
        guard let address = self.jwksURL, let others = other.jwksURL else { return false }
        return Self.normalized(address) == Self.normalized(others)
    }

    /// Normalizes an address: lower-case scheme and host, without the default port and without a fragment.
    private static func normalized(_ address: String) -> String {
        guard var parts = URLComponents(string: address) else { return address }
        parts.scheme = parts.scheme?.lowercased()
        parts.host = parts.host?.lowercased()
        parts.fragment = nil
        if parts.port == (parts.scheme == "https" ? 443 : 80) { parts.port = nil }
        if parts.path.isEmpty { parts.path = "/" }
        return parts.string ?? address
    }

    private static func refuseDuplicates(_ values: [String], _ reason: String) throws(WalletAPIError) {
        if Set(values.map { Array($0.utf8) }).count != values.count { throw .configuration(reason) }
    }
}
