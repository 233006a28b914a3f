import ArgumentParser
import CommandOutput
import Foundation

extension ConfigurationKey {
    static let wallets = Self(
        "WALLETS",
        .optional,
        isSecret: true,
        "Several wallets instead of DATABASE_URL, such as eu:postgresql://…,us:postgresql://…. Each wallet has its own "
            + "database, pool and workers. A name has up to 20 lower-case letters and digits. EU_EVENTS_URL then sets "
            + "EVENTS_URL of the wallet eu, and so on for every key that does not configure the process. See "
            + "deploy/scale.md."
    )

    /// Returns the key that sets this value for one wallet, such as `EU_EVENTS_URL`.
    func of(_ wallet: WalletAddress) -> Self {
        Self("\(wallet.name.uppercased())_\(self.name)", self.absence, isSecret: self.isSecret, self.meaning)
    }
}

/// One of several wallets: its name and the address of its database.
struct WalletAddress: Sendable, Hashable {
    let name: String
    let url: String
}

extension Settings {
    private static let longestName = 20

    /// Returns the wallets that the process serves; empty if `DATABASE_URL` configures the only wallet.
    ///
    /// - Returns: The wallets in the order of the list.
    /// - Throws: ``CommandError`` for an invalid list, or if `DATABASE_URL` or `DATABASE_READ_URL` is also set.
    func wallets() throws(CommandError) -> [WalletAddress] {
        guard let text = try self.string(.wallets) else { return [] }
        for key in [ConfigurationKey.databaseURL, .databaseReadURL] where !(self.ofProcess(key) ?? "").isEmpty {
            throw key.refused("and \(ConfigurationKey.wallets.name) exclude each other.")
        }
        let wallets = try Self.wallets(in: text)
        let keys = Set(ConfigurationKey.all.map(\.name))
        for (place, wallet) in wallets.enumerated() {
            guard wallets[..<place].allSatisfy({ $0.name != wallet.name && $0.url != wallet.url }) else {
                throw Self.refused("contains a duplicate name or database: \(wallet.name)")
            }
            // After `AUTH_`, an issuer's key may contain any name.
            let isFree = ConfigurationKey.allOfWallet.allSatisfy { !keys.contains($0.of(wallet).name) }
            guard wallet.name != "auth", isFree else {
                throw Self.refused("contains the reserved name \(wallet.name), which is the prefix of other keys")
            }
        }
        return wallets
    }

    /// Parses the list of wallets.
    ///
    /// URLs may contain commas, so a new entry begins only where a name and a scheme follow the comma.
    private static func wallets(in text: String) throws(CommandError) -> [WalletAddress] {
        var wallets: [WalletAddress] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let entry = piece.trimmingPrefix(/\s*/).wholeMatch(of: /([^:\/?#@]*):(postgres(?:ql)?:\/\/.*)/) {
                wallets.append(WalletAddress(name: try self.checked(entry.1), url: String(entry.2)))
            } else if let last = wallets.popLast() {
                wallets.append(WalletAddress(name: last.name, url: "\(last.url),\(piece)"))
            } else {
                throw Self.refused("must contain entries such as eu:postgresql://…, separated by commas")
            }
        }
        return wallets
    }

    private static func checked(_ name: Substring) throws(CommandError) -> String {
        guard name.count <= Self.longestName, name.wholeMatch(of: /[a-z][a-z0-9]*/) != nil else {
            throw Self.refused(
                "contains an invalid name: use up to \(Self.longestName) lower-case letters and digits, a letter first"
            )
        }
        return String(name)
    }

    private static func refused(_ reason: String) -> CommandError {
        ConfigurationKey.wallets.refused("\(reason).")
    }

    /// Returns the settings of the wallet that a command works on.
    ///
    /// - Parameter name: The value of `--wallet`; it is required with several wallets and refused with one.
    /// - Returns: The settings of that wallet, or of the only wallet.
    /// - Throws: ``CommandError`` if no wallet has the name.
    func of(_ name: String?) throws(CommandError) -> Settings {
        let wallets = try self.wallets()
        guard name != nil || !wallets.isEmpty else { return self }
        guard let wallet = wallets.first(where: { $0.name == name }) else {
            let names = wallets.map(\.name).joined(separator: ", ")
            throw CommandError(
                .configuration,
                wallets.isEmpty
                    ? "--wallet requires WALLETS, which is not set." : "--wallet must be one of \(names)."
            )
        }
        return self.of(wallet)
    }
}

/// Selects the wallets that a command works on.
struct WalletsOption: ParsableArguments {
    @Option(help: "Only this wallet in WALLETS; without it, all wallets in turn.")
    var wallet: String?

    /// Runs a command for each selected wallet; a failure does not stop the other wallets.
    ///
    /// - Parameters:
    ///   - settings: The command's settings.
    ///   - work: A closure that runs the command for one wallet, with that wallet's settings.
    /// - Throws: The error of `work` if there is only one wallet; otherwise the highest exit code, after each error was
    ///   printed.
    func forEach(_ settings: Settings, _ work: (Settings) async throws -> Void) async throws {
        var highest: Int32 = 0
        for settings in try self.chosen(settings) {
            do {
                try await work(settings)
            } catch {
                guard let wallet = settings.wallet, !(error is ValidationError) else { throw error }
                let failure = error as? CommandError ?? CommandError(.failed, "\(error)")
                CreditWalletCommand.printError(failure.of(wallet.name))
                highest = max(highest, failure.code.exitCode)
            }
        }
        guard highest == 0 else { throw ExitCode(highest) }
    }

    private func chosen(_ settings: Settings) throws(CommandError) -> [Settings] {
        let wallets = try settings.wallets()
        guard self.wallet == nil, !wallets.isEmpty else { return [try settings.of(self.wallet)] }
        return wallets.map(settings.of)
    }
}

/// Prints the lines of a command, prefixed with the wallet's name if there are several wallets.
struct WalletPrinter: Sendable {
    /// The wallet's name; nil if there is only one wallet.
    let wallet: String?

    init(_ settings: Settings) {
        self.wallet = settings.wallet?.name
    }

    func print(_ line: String) {
        Swift.print(self.wallet.map { "\($0): \(line)" } ?? line)
    }
}
