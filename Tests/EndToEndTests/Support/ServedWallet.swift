import Foundation
import Postgres
import TestSupport
import WalletClient

/// A running `credit-wallet serve` on a PostgreSQL server that the test can stop, freeze and restart.
struct ServedWallet: Sendable {
    let cluster: PrivateCluster
    let program: RunningProgram
    private let port: ReservedPort
    private let users: TokenMint
    private let operators: TokenMint

    var baseURL: String { "http://127.0.0.1:\(self.port.number)" }

    private static let secrets = ["users", "operators"].map { "a-secret-of-\($0)-with-at-least-32-bytes" }

    /// Migrates a new cluster, starts the service on it and waits until it is ready.
    static func start() async throws -> ServedWallet {
        let cluster = try await PrivateCluster.create()
        let migrated = try await Executable.run(["migrate"], environment: ["DATABASE_URL": cluster.url])
        guard migrated.status == 0 else { throw HarnessError("migrate failed: \(migrated.output)") }
        let port = try ReservedPort()
        let program = try Executable.start(
            ["serve", "--http-port", "\(port.number)"],
            environment: self.environment(databaseURL: cluster.url.replacing("postgres@", with: "wallet_service@")),
            log: Self.log(port)
        )
        let wallet = ServedWallet(
            cluster: cluster,
            program: program,
            port: port,
            users: TokenMint(secret: self.secrets[0], issuer: "https://users.example", audience: "wallet"),
            operators: TokenMint(secret: self.secrets[1], issuer: "https://operators.example", audience: "wallet")
        )
        try await eventually("serve gets ready") {
            guard program.isRunning else { throw HarnessError("serve ended: \(program.output)") }
            return try await wallet.answers("/ready", 200)
        }
        return wallet
    }

    private static func log(_ port: ReservedPort) -> String { "/tmp/wallet-e2e-serve-\(port.number).log" }

    private static func environment(databaseURL: String) -> [String: String] {
        [
            "DATABASE_URL": databaseURL, "DATABASE_ACQUIRE_TIMEOUT": "2", "DATABASE_STATEMENT_TIMEOUT": "3",
            "LOG_LEVEL": "warning", "AUTH_ISSUERS": "users,operators",
            "AUTH_USERS_ISSUER": "https://users.example", "AUTH_USERS_AUDIENCES": "wallet",
            "AUTH_USERS_HS256_SECRET": self.secrets[0],
            "AUTH_OPERATORS_ISSUER": "https://operators.example", "AUTH_OPERATORS_AUDIENCES": "wallet",
            "AUTH_OPERATORS_HS256_SECRET": self.secrets[1], "AUTH_OPERATORS_PURPOSE": "operators",
            "APPSTORE_BUNDLE_IDS": "com.example.app", "APPSTORE_SHARED_SECRET": "never-sent-anywhere",
            "APPSTORE_GRANTS_FROM": "2026-01-01T00:00:00Z",
        ]
    }

    func stop() async throws {
        let status = try await self.program.stop()
        let output = self.program.output
        unlink(Self.log(self.port))
        try await self.cluster.remove()
        guard status == 0 else { throw HarnessError("serve ended with \(status): \(output)") }
    }

    /// Returns whether a path responds with the status; false if the connection is refused.
    func answers(_ path: String, _ status: Int) async throws -> Bool {
        (try? await WebClient(baseURL: self.baseURL).send(.get, path))?.status == status
    }

    func user() throws -> LiveUser {
        let id = "user-\(UUID().uuidString.lowercased())"
        return try LiveUser(id, token: self.users.token(for: id), at: self.baseURL)
    }

    /// Creates a class and grants credits to a user; repeats the request while the service answers 503.
    func prepare(credits: Int64, for user: LiveUser) async throws -> String {
        let id = "e2e-\(UUID().uuidString.lowercased())"
        let start = Date.now + 864_000
        let body = """
            {"title":"A class","starts_at":"\(start.formatted(.iso8601))","capacity":100,"price":{"credits":20},
            "ends_at":"\((start + 3_600).formatted(.iso8601))"}
            """
        let token = try self.operators.sign(self.operators.claims(of: "actor", lifetime: 1_800))
        let actor = try LiveUser("actor", token: token, at: self.baseURL)
        let headers = [("idempotency-key", id)]
        // On a busy machine, a connection or a first statement may take longer than the short limits.
        try await eventually("the class is made") {
            let answer = try await actor.send(.put, "/operator/classes/\(id)", headers: headers, body: body)
            guard [200, 503].contains(answer.status) else { throw HarnessError("no class was made: \(answer.outcome)") }
            return answer.status == 200
        }
        try await self.query(
            """
            INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
            VALUES (\(id), \(user.id), \(credits), 'for a test', TRUE)
            """
        )
        return id
    }

    /// Returns a user's balance; repeats the request while the service answers 503.
    ///
    /// - Parameter user: The user.
    /// - Returns: The balance.
    /// - Throws: The response that refuses the request; a 503 only after a minute.
    func standing(of user: LiveUser) async throws -> Standing {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try await user.standing()
            } catch let problem as WalletProblem where problem.status == 503 && ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    @discardableResult
    func query(_ query: Query) async throws -> [Row] {
        let connection = try await Connection.connect(
            ConnectionConfiguration(patient: self.cluster.url),
            logger: .quiet
        )
        defer { connection.close() }
        return try await connection.query(query)
    }
}
