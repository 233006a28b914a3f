import WalletAPI

extension Settings {
    /// Reads who may issue tokens, and for what.
    func issuers() throws(CommandError) -> [IssuerConfiguration] {
        var issuers: [IssuerConfiguration] = []
        for name in try self.list(.authIssuers) {
            guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                throw CommandError(
                    .configuration,
                    "\(ConfigurationKey.authIssuers.name) may hold letters, digits and commas only."
                )
            }
            issuers.append(try self.issuer(name.uppercased()))
        }
        return issuers
    }

    private func issuer(_ name: String) throws(CommandError) -> IssuerConfiguration {
        let secret = try self.string(.sharedSecret(name))
        let jwksURL = try self.string(.jwksURL(name))
        guard secret != nil || jwksURL != nil else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.sharedSecret(name).name) or \(ConfigurationKey.jwksURL(name).name) is missing."
            )
        }
        return IssuerConfiguration(
            issuer: try self.required(.issuer(name)),
            audiences: try self.list(.audiences(name)),
            purpose: try self.choice(.purpose(name), of: Purpose.self) == .operators ? .operators : .users,
            prefix: try self.string(.prefix(name)) ?? "",
            sharedSecret: secret.map { Array($0.utf8) },
            jwksURL: jwksURL
        )
    }

    private enum Purpose: String, CaseIterable {
        case users
        case operators
    }
}
