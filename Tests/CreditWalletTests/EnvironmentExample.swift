@testable import CreditWallet

/// The text of `deploy/env.example`, generated from the keys in code.
enum EnvironmentExample {
    /// The name of the issuer whose keys the file shows.
    static let issuer = "MAIN"

    static let text = """
        # Every configuration key of `credit-wallet serve`, with its default. A test keeps this file equal to the keys
        # in code; `make env-example` writes it again. Copy it, fill in what has no value, and uncomment what shall differ.
        #
        # Read as .env in the working directory, as Docker's env_file or as systemd's EnvironmentFile. A secret is
        # better kept as a file, named like its key in lower case, in the directory SECRETS_DIRECTORY; then leave it out
        # here, since a key that is set here wins, also with an empty value.
        #
        # These are enough to start, without any store, for the users of a project of Supabase that signs with keys:
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
