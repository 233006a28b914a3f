import ArgumentParser
import WalletAPI

/// `credit-wallet token`: prints tokens, for development and for operators' scripts.
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a token signed with the configured secret (HS256).",
        discussion: """
            Reads AUTH_ISSUERS and the issuers' keys like serve does, or the secrets of a dev directory (--data). \
            With --role operator the token is that of an operator. With --count it prints a token a line, for \
            USER-1, USER-2 and so on, as load and its guide use them.
            """
    )

    /// Roles that look like operator roles but grant nothing, and one that the service refuses.
    private static let powerless: Set<String> = [
        "admin", "administrator", "service_role", "supabase_admin", "superuser", "root", "operators", "anon",
    ]
    private static let longestOperatorLifetime = 3_600

    @Option(help: "Whom the token is for: the user id, or the operator's name.")
    var user: String

    @Option(
        help: "The role claim; operator picks the issuer of operators.",
        completion: .list(["authenticated", "operator"])
    )
    var role = "authenticated"

    @Option(help: "Seconds until the token expires; operators' tokens live an hour at most.")
    var ttl = 3600

    @Option(help: "How many tokens, each of another user; without it one, for USER itself.")
    var count: Int?

    @Option(help: "A directory of credit-wallet dev, whose secret signs.", completion: .directory)
    var data: String?

    @Option(help: "For which one of WALLETS; required where they are set.")
    var wallet: String?

    func validate() throws {
        guard !self.user.isEmpty else { throw ValidationError("--user must not be empty.") }
        guard !Self.powerless.contains(self.role.lowercased()) else {
            throw ValidationError(
                "--role \(self.role) opens nothing: no role of a user's token does. --role operator makes an operator's token."
            )
        }
        guard self.role != "operator" || self.ttl <= Self.longestOperatorLifetime else {
            throw ValidationError(
                "--ttl \(self.ttl) is refused: operators' tokens may live \(Self.longestOperatorLifetime) seconds at most."
            )
        }
        guard self.ttl > 0 else { throw ValidationError("--ttl must be at least 1.") }
        guard (1...1_000_000).contains(self.count ?? 1) else {
            throw ValidationError("--count must be from 1 to 1000000.")
        }
    }

    func run() async throws {
        let issuers =
            if let data = self.data {
                try DevIssuers(secrets: DevSecrets.load(from: DataDirectory(data))).all
            } else {
                try await Settings.loadForCommand().of(self.wallet).issuers()
            }
        let purpose: IssuerConfiguration.Purpose = self.role == "operator" ? .operators : .users
        guard let issuer = issuers.first(where: { $0.purpose == purpose && $0.sharedSecret != nil }) else {
            throw CommandError(.configuration, "No issuer of \(purpose) has an HS256 secret to sign with.")
        }
        let signer = try TokenSigner(issuer)
        let subject = try self.subject(for: issuer)
        let subjects = self.count.map { (1...$0).map { "\(subject)-\($0)" } } ?? [subject]
        for subject in subjects {
            print(try await signer.token(for: subject, role: self.role, lifetime: self.ttl))
        }
    }

    /// Returns the user's subject at the issuer: the user id without the issuer's prefix, which the service adds.
    private func subject(for issuer: IssuerConfiguration) throws(CommandError) -> String {
        guard issuer.purpose == .users else { return self.user }
        guard self.user.hasPrefix(issuer.prefix), self.user.count > issuer.prefix.count else {
            throw CommandError(.configuration, "User ids of issuer \(issuer.issuer) begin with \(issuer.prefix).")
        }
        return String(self.user.dropFirst(issuer.prefix.count))
    }
}
