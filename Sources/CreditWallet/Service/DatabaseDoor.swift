import Foundation
import Logging
import Postgres

/// The first connection of a command, which says at once why there is none.
///
/// A pool goes on trying for as long as somebody waits; a start wants the cause instead.
struct DatabaseDoor: Sendable {
    private static let pause = Duration.milliseconds(250)

    /// What a server says that will not change in the next seconds.
    private static let refusals = [
        "password authentication failed", "no password supplied", "no pg_hba.conf entry", "does not exist",
        "authentication failed for user", "role \"", "is not permitted to log in", "permission denied for database",
    ]
    private static let malformed = "is not one that libpq understands"

    let configuration: ConnectionConfiguration
    let logger: Logger

    /// Connects once; tries again only while the server may be starting.
    ///
    /// - Parameter limit: How long to try.
    /// - Throws: ``CommandError`` with the server's own words: 78 where the address itself is wrong, else 69, as somebody
    ///   may yet set a password or make a role.
    func requireOpen(within limit: Duration = .seconds(5)) async throws {
        let deadline = ContinuousClock.now + limit
        while true {
            do throws(PostgresError) {
                try await Connection.connect(self.configuration, logger: self.logger).close()
                return
            } catch {
                let cause = Self.line(error.message ?? error.description)
                guard !cause.contains(Self.malformed) else {
                    throw CommandError(.configuration, "The database's address cannot be used: \(cause)")
                }
                guard !Self.refusals.contains(where: cause.contains) else {
                    throw CommandError(.unavailable, "The database refuses the connection: \(cause)")
                }
                guard ContinuousClock.now < deadline else {
                    throw CommandError(.unavailable, "The database does not answer: \(cause)")
                }
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
    }
}
