import Foundation

/// Detects settings that are ignored because their names are misspelled.
struct UnknownSettings: Sendable {
    /// A name that was set, and the key that was probably intended.
    struct Finding: Sendable, Equatable {
        let name: String
        let meant: String
    }

    /// The maximum number of wrong characters; a larger number would match variables of other programs.
    private static let mostChanges = 2

    let findings: [Finding]

    /// Compares the names with the known keys.
    ///
    /// - Parameters:
    ///   - names: The names in the environment and in `.env`.
    ///   - issuers: The names of the issuers, in upper case.
    ///   - wallets: The wallets, if there are several.
    init(among names: some Sequence<String>, issuers: [String], wallets: [WalletAddress] = []) {
        let ofWallets = wallets.flatMap { wallet in ConfigurationKey.allOfWallet.map { $0.of(wallet) } }
        let known = Set(
            (ConfigurationKey.all + issuers.flatMap(ConfigurationKey.allOfIssuer) + ofWallets).map(\.name)
        )
        // A key of the process with a wallet's prefix is ignored; the plain key was intended.
        let common = wallets.flatMap { wallet in
            ConfigurationKey.allOfProcess.map { ($0.of(wallet).name, $0.name) }
        }
        let meant = Dictionary(common) { first, _ in first }
        self.findings = Set(names).subtracting(known).sorted().compactMap { name in
            if let key = meant[name] { return Finding(name: name, meant: key) }
            let close = known.filter { abs($0.count - name.count) <= Self.mostChanges }
                .map { (key: $0, changes: Self.changes(from: Array(name), to: Array($0))) }
                .filter { $0.changes <= Self.mostChanges }
                .min { ($0.changes, $0.key) < ($1.changes, $1.key) }
            return close.map { Finding(name: name, meant: $0.key) }
        }
    }

    /// Returns the names that a file in the format of `.env` sets; empty if there is no file.
    static func names(inFile path: String) -> [String] {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return text.split(whereSeparator: \.isNewline).compactMap { line in
            let name = line.split(separator: "=", maxSplits: 1).first?.trimmingCharacters(in: .whitespaces) ?? ""
            return line.contains("=") && !name.hasPrefix("#") ? name : nil
        }
    }

    /// The number of characters to insert, delete, replace or swap with their neighbour.
    private static func changes(from: [Character], to: [Character]) -> Int {
        var rows = [Array(0...to.count)]
        for (i, letter) in from.enumerated() {
            var row = [i + 1]
            for (j, other) in to.enumerated() {
                var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == to[j - 1], from[i - 1] == other {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[from.count][to.count]
    }
}
