import Foundation
import Logging
public import Postgres

/// The server that all tests share.
enum TestServer {
    static let variable = "WALLET_TEST_DATABASE_URL"

    /// The superuser's URL of the database `postgres`.
    static var url: String {
        get throws {
            guard let url = ProcessInfo.processInfo.environment[Self.variable], !url.isEmpty else {
                throw TestSupportError(
                    "\(Self.variable) is not set. Run `make test`, which starts a private PostgreSQL for the tests, "
                        + "or `.ci/with-postgres swift test`."
                )
            }
            return url
        }
    }

    /// Runs statements in the database `postgres`.
    static func execute(_ script: String) async throws {
        let connection = try await Connection.connect(ConnectionConfiguration(patient: try Self.url), logger: .quiet)
        defer { connection.close() }
        try await connection.execute(script: script)
    }

    static func rewrite(_ url: String, _ change: (inout URLComponents) -> Void) throws -> String {
        guard var components = URLComponents(string: url) else {
            throw TestSupportError("\(Self.variable) is not a URL")
        }
        change(&components)
        guard let rewritten = components.string else { throw TestSupportError("\(Self.variable) cannot be rewritten") }
        return rewritten
    }
}

extension ConnectionConfiguration {
    /// Creates a configuration that waits as long as a busy machine takes; no test depends on its limits.
    public init(patient url: String) {
        self.init(url: url)
        self.queryTimeout = .seconds(600)
        self.connectTimeout = .seconds(120)
    }
}

extension Logger {
    /// A logger for output that a test does not check; it logs errors only.
    static var quiet: Logger {
        var logger = Logger(label: "tests")
        logger.logLevel = .error
        return logger
    }
}
