import Foundation

/// PostgreSQL's own programs, and the system account that they run under.
struct PostgresTools: Sendable {
    private let binaries: String
    private let prefix: [String]
    /// The account that owns the cluster where it is not this process's own.
    let account: String?

    /// Where Debian's packages and PostgreSQL's own RPM packages put the programs of each version.
    private static let places = [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")]

    /// Finds the programs and settles the account for a directory.
    ///
    /// PostgreSQL refuses to run as root, so root runs it as the user `postgres`. Where that user cannot reach the
    /// directory (below `/root`, say), the server gets the one capability that lets it pass.
    static func find(for directory: DataDirectory) async throws -> PostgresTools {
        let config = try await ChildProcess.run(["pg_config", "--bindir"])
        let named = config.status == 0 ? [config.output.trimmingCharacters(in: .whitespacesAndNewlines)] : []
        guard
            let binaries = (named + Self.installed()).first(where: { directory in
                FileManager.default.isExecutableFile(atPath: "\(directory)/initdb")
            })
        else {
            throw CommandError(
                .unavailable,
                "PostgreSQL 15 or newer is not installed; on Debian and Ubuntu, apt install postgresql brings it."
            )
        }
        guard geteuid() == 0 else { return PostgresTools(binaries: binaries, prefix: [], account: nil) }

        let plain = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]
        for options in [[], ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]] {
            let prefix = plain + options + ["--"]
            if try await ChildProcess.run(prefix + ["stat", "\(directory.path)/."]).status == 0 {
                return PostgresTools(binaries: binaries, prefix: prefix, account: "postgres")
            }
        }
        throw CommandError(.system, "The user postgres cannot reach \(directory.path); choose another with --data.")
    }

    /// The folders of the versions that are installed, newest first. `pg_config` comes with libpq's headers alone, and so
    /// is not on every machine with a server.
    private static func installed() -> [String] {
        self.places.flatMap { place, prefix in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            return names.compactMap { name in
                name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)).map { ($0, "\(place)/\(name)/bin") } : nil
            }
        }
        .filter { $0.0 >= 15 }.sorted { $0.0 > $1.0 }.map(\.1)
    }

    /// The command line of one program.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        self.asAccount(["\(self.binaries)/\(program)"] + arguments)
    }

    /// A command line that runs under the server's account.
    func asAccount(_ command: [String]) -> [String] {
        self.prefix + command
    }

    /// Runs one program to its end.
    ///
    /// - Throws: ``CommandError`` with what it printed, if it fails.
    func run(_ program: String, _ arguments: [String]) async throws {
        let result = try await ChildProcess.run(self.command(program, arguments))
        guard result.status == 0 else {
            throw CommandError(.unavailable, "\(program) failed with status \(result.status): \(result.output)")
        }
    }

    /// Returns whether a program ends well; for those that ask rather than do.
    func succeeds(_ program: String, _ arguments: [String]) async throws -> Bool {
        try await ChildProcess.run(self.command(program, arguments)).status == 0
    }
}
