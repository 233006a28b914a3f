import ArgumentParser
import CommandOutput
import WalletAPI
import WalletDev

/// `credit-wallet token`: prints tokens, for development and for operators' scripts.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a token signed with the configured secret (HS256).",
        discussion: """
            Reads AUTH_ISSUERS and the issuers' keys like serve, or the secrets of a dev directory (--data). With \
            --role operator, it prints an operator's token. With --count, it prints one token per line, for USER-1, \
            USER-2 and so on, in the format that load reads.
            """
    )

    /// Roles that look like operator roles but grant nothing, and one that the service refuses.
    private static let powerless: Set<String> = [
        "admin", "administrator", "service_role", "supabase_admin", "superuser", "root", "operators", "anon",
    ]
    private static let longestOperatorLifetime = 3_600

    @Option(help: "The user id, or the operator's name.")
    var user: String

    @Option(
        help: "The role claim; operator selects the issuer of operators.",
        completion: .list(["authenticated", "operator"])
    )
    var role = "authenticated"

    @Option(help: "Seconds until the token expires; at most one hour for operators' tokens.")
    var ttl = 3600

    @Option(help: "Number of tokens, each for a different user; without it, one token for USER.")
    var count: Int?

    @Option(help: "The directory of credit-wallet dev whose secret signs the token.", completion: .directory)
    var data: String?

    @Option(help: "The wallet in WALLETS; required if WALLETS is set.")
    var wallet: String?

    func validate() throws {
        guard !self.user.isEmpty else { throw ValidationError("--user must not be empty.") }
        guard !Self.powerless.contains(self.role.lowercased()) else {
            throw ValidationError(
                "--role \(self.role) has no effect in a user's token. Use --role operator for an operator's token."
            )
        }
        guard self.role != "operator" || self.ttl <= Self.longestOperatorLifetime else {
            throw ValidationError(
                "--ttl must be at most \(Self.longestOperatorLifetime) for operators' tokens; received \(self.ttl)."
            )
        }
        guard (1...1_000_000_000).contains(self.ttl) else {
            throw ValidationError("--ttl must be from 1 to 1000000000.")
        }
        guard (1...1_000_000).contains(self.count ?? 1) else {
            throw ValidationError("--count must be from 1 to 1000000.")
        }
    }

    func run() async throws {
        let issuers =
            if let data = self.data {
                try DevIssuers(secrets: DevSecrets.load(from: DataDirectory(data))).all
            } else {
                try await IssuerConfiguration.all(reader: Settings.loadForCommand().of(self.wallet))
            }
        let purpose: IssuerConfiguration.Purpose = self.role == "operator" ? .operators : .users
        guard let issuer = issuers.first(where: { $0.purpose == purpose && $0.sharedSecret != nil }) else {
            throw CommandError(.configuration, "No issuer of \(purpose) has an HS256 secret to sign the token.")
        }
        let signer = try TokenSigner(issuer)
        let subject = try self.subject(for: issuer)
        let subjects = self.count.map { (1...$0).map { "\(subject)-\($0)" } } ?? [subject]
        for subject in subjects {
            print(try signer.token(for: subject, role: self.role, lifetime: self.ttl))
        }
    }

    /// Returns the user's subject at the issuer: the user id without the issuer's prefix, which the service adds.
    private func subject(for issuer: IssuerConfiguration) throws(CommandError) -> String {
        guard issuer.purpose == .users else { return self.user }
        guard self.user.hasPrefix(issuer.prefix), self.user.count > issuer.prefix.count else {
            throw CommandError(
                .configuration,
                "--user must begin with \(issuer.prefix), the prefix of \(issuer.issuer)."
            )
        }
        return String(self.user.dropFirst(issuer.prefix.count))
    }
}
