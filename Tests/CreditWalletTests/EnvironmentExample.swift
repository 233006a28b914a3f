@testable import CreditWallet

/// The text of `deploy/env.example`, generated from the keys in code.
enum EnvironmentExample {
    /// The name of the issuer whose keys the file shows.
    static let issuer = "MAIN"

    static let text = """
        # Every configuration key of `credit-wallet serve`, with its default. A test keeps this file equal to the keys
        # in code; `make env-example` updates it. Copy it, fill in the empty values, and uncomment the values to change.
        #
        # Use it as .env in the working directory, as Docker's env_file or as systemd's EnvironmentFile. It is safer to
        # keep secrets as files in SECRETS_DIRECTORY, named like their keys in lower case. Then remove them here, because
        # a key in this file takes precedence, even with an empty value.
        #
        # The following keys suffice to start without stores, for the users of a Supabase project with signing keys:
        #
        #   DATABASE_URL=postgresql://wallet_service:PASSWORD@HOST/wallet
        #   AUTH_ISSUERS=main
        #   AUTH_MAIN_ISSUER=https://PROJECT.supabase.co/auth/v1
        #   AUTH_MAIN_AUDIENCES=authenticated
        #   AUTH_MAIN_JWKS_URL=https://PROJECT.supabase.co/auth/v1/.well-known/jwks.json
        #   STORES=none

        \(ConfigurationHelp.parts.map(Self.text).joined(separator: "\n\n"))

        """

    /// Every key that the file lists.
    static let keys: [ConfigurationKey] =
        ConfigurationKey.all + ConfigurationKey.allOfIssuer(Self.issuer)

    private static func text(of part: (title: String, keys: [ConfigurationKey])) -> String {
        let isAlwaysNeeded = part.keys.contains(.databaseURL) || part.keys.contains(.issuer("NAME"))
        let entries = part.keys.map { Self.entry($0, isAlwaysNeeded: isAlwaysNeeded) }
        let title = part.keys.contains(.issuer("NAME")) ? "\(part.title), here \(Self.issuer)" : part.title
        return "## \(title)\n\n" + entries.joined(separator: "\n")
    }

    private static func entry(_ key: ConfigurationKey, isAlwaysNeeded: Bool) -> String {
        let name = key.name.replacing("AUTH_NAME_", with: "AUTH_\(Self.issuer)_")
        let notes =
            switch key.absence {
            case .required: key.isSecret ? "Required; a secret." : "Required."
            case .optional: key.isSecret ? "Optional; a secret." : "Optional."
            case .fallback: key.isSecret ? "A secret." : ""
            }
        let comment = ConfigurationHelp.lines("\(key.meaning) \(notes)", width: 110).map { "# \($0)\n" }.joined()
        if case .fallback(let value) = key.absence { return "\(comment)#\(name)=\(value)" }
        return "\(comment)\(isAlwaysNeeded && key.absence == .required && !key.isSecret ? "" : "#")\(name)="
    }
}
