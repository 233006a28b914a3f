import Foundation
import Logging
import Postgres

/// Opens the first connection of a command, and reports immediately why it fails.
///
/// A pool retries for as long as a caller waits, but a start needs the cause.
struct DatabaseDoor: Sendable {
    private static let pause = Duration.milliseconds(250)

    /// The server's messages for permanent failures.
    private static let refusals = [
        "password authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
        "authentication failed for user", "role \"", "is not permitted to log in", "permission denied for database",
    ]
    private static let malformed = "libpq cannot parse the database URL"

    let configuration: ConnectionConfiguration
    let logger: Logger

    /// Connects once; retries only while the server may be starting.
    ///
    /// - Parameter limit: The maximum time for retries.
    /// - Throws: ``CommandError`` with the server's message. The exit code is 78 if the address is invalid, otherwise
    ///   69, because a password or role may still be set up.
    func requireOpen(within limit: Duration = .seconds(5)) async throws {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(PostgresError) {
                try await Connection.connect(self.configuration, logger: self.logger).close()
                return
            } catch {
                let cause = Self.line(error.message ?? error.description)
                guard !cause.contains(Self.malformed) else {
                    throw CommandError(.configuration, "Invalid database address: \(cause)")
                }
                guard !Self.refusals.contains(where: cause.contains) else {
                    throw CommandError(.unavailable, "The database refused the connection: \(cause)")
                }
                guard ContinuousClock.now < deadline else {
                    throw CommandError(.unavailable, "The database does not respond: \(cause)")
                }
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }
}
