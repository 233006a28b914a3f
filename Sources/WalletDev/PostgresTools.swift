import CommandOutput
import Foundation

/// Finds and runs PostgreSQL's programs under the correct system account.
struct PostgresTools: Sendable {
    private let binaries: String
    private let prefix: [String]
    /// The account that owns the cluster; nil if it is the account of this process.
    let account: String?

    /// The directories in which Debian's packages and PostgreSQL's RPM packages install the programs of each version.
    private static let places = [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")]

    /// Finds the programs and the account for a directory.
    ///
    /// PostgreSQL refuses to run as root, so root runs it as the user `postgres`. If that user cannot reach the
    /// directory, for example below `/root`, the server gets the single capability that grants access.
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
                "PostgreSQL 15 or newer is not installed. On Debian and Ubuntu, run apt install postgresql."
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
        throw CommandError(
            .system,
            "The user postgres has no access to \(directory.path). Choose another directory with --data."
        )
    }

    /// Returns the program directories of the installed versions, newest first.
    ///
    /// `pg_config` is part of libpq's headers, so some machines with a server do not have it.
    private static func installed() -> [String] {
        self.places.flatMap { place, prefix in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            return names.compactMap { name in
                name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)).map { ($0, "\(place)/\(name)/bin") } : nil
            }
        }
        .filter { $0.0 >= 15 }.sorted { $0.0 > $1.0 }.map(\.1)
    }

    /// Returns the command line of a program.
    func command(_ program: String, _ arguments: [String]) -> [String] {
        self.asAccount(["\(self.binaries)/\(program)"] + arguments)
    }

    /// Returns a command line that runs under the server's account.
    func asAccount(_ command: [String]) -> [String] {
        self.prefix + command
    }

    /// Runs a program to completion.
    ///
    /// - Throws: ``CommandError`` with the program's output if it fails.
    func run(_ program: String, _ arguments: [String]) async throws {
        let result = try await ChildProcess.run(self.command(program, arguments))
        guard result.status == 0 else {
            throw CommandError(.unavailable, "\(program) failed with status \(result.status): \(result.output)")
        }
    }

    /// Returns whether a program succeeds, for programs that check a condition.
    func succeeds(_ program: String, _ arguments: [String]) async throws -> Bool {
        try await ChildProcess.run(self.command(program, arguments)).status == 0
    }
}
