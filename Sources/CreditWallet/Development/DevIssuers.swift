import WalletAPI

/// The two issuers of a `dev` directory, for users and for operators, each with a generated secret.
struct DevIssuers: Sendable {
    let users: IssuerConfiguration
    let operators: IssuerConfiguration

    init(secrets: DevSecrets) {
        self.users = IssuerConfiguration(
            issuer: "https://dev.credit-wallet.invalid/users",
            audiences: ["credit-wallet"],
            sharedSecret: Array(secrets.userToken.utf8)
        )
        self.operators = IssuerConfiguration(
            issuer: "https://dev.credit-wallet.invalid/operators",
            audiences: ["credit-wallet"],
            purpose: .operators,
            sharedSecret: Array(secrets.operatorToken.utf8)
        )
    }

    var all: [IssuerConfiguration] { [self.users, self.operators] }
}
