import CommandOutput
import Foundation
import ServiceLifecycle

/// A private PostgreSQL server for development: its data is in one directory, and it listens only on loopback.
///
/// Local connections use a socket without a password, in a directory that only the server's account can enter. TCP
/// connections need a password. A supervisor process stops the server when this process ends for any reason.
package struct PrivateCluster: Sendable {
    let directory: DataDirectory
    let tools: PostgresTools
    let socket: SocketDirectory
    let port: Int
    let keeper: ServerSupervisor

    /// Starts the server, and creates the cluster and the database `wallet` if they are missing.
    ///
    /// A server that an earlier run left running is stopped first.
    package static func start(in directory: DataDirectory, password: String) async throws -> PrivateCluster {
        let tools = try await PostgresTools.find(for: directory)
        try await ClusterFiles(directory: directory, tools: tools).createIfMissing(password: password)
        try await Self.endLeftBehind(directory, tools: tools)

        let socket = try SocketDirectory(for: directory, owner: tools.account)
        for attempt in 1... {
            let port = try FreePort.find()
            let keeper = try ServerSupervisor.start(
                tools.command("postgres", Self.arguments(directory, socket: socket, port: port)),
                log: directory.clusterLog
            )
            let cluster = PrivateCluster(directory: directory, tools: tools, socket: socket, port: port, keeper: keeper)
            guard try await cluster.isReady() else {
                await keeper.stop()
                // Another process may bind the port after the search and before the server does.
                guard attempt < 3, try FreePort.isTaken(port) else { break }
                continue
            }
            try await cluster.createDatabase()
            return cluster
        }
        socket.removeIfTemporary()
        throw CommandError(.unavailable, "PostgreSQL did not start; see \(directory.clusterLog).")
    }

    /// Stops a server that an earlier run left running, unless that run's supervisor stops it first.
    static func endLeftBehind(_ directory: DataDirectory, tools: PostgresTools) async throws {
        let status = ["status", "-D", directory.cluster]
        guard try await tools.succeeds("pg_ctl", status) else { return }
        do {
            try await tools.run("pg_ctl", ["stop", "-D", directory.cluster, "-m", "fast", "-w"])
        } catch {
            // The command fails if the server stopped between the check and the command; that is not an error.
            guard try await !tools.succeeds("pg_ctl", status) else { throw error }
        }
    }

    private static func arguments(_ directory: DataDirectory, socket: SocketDirectory, port: Int) -> [String] {
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(socket.path)",
            "unix_socket_permissions=0700", "timezone=UTC", "log_timezone=UTC", "shared_buffers=64MB",
            // JIT compilation of the invariant views would take seconds and saves nothing for so few rows.
            "jit=off",
        ]
        return ["-D", directory.cluster] + settings.flatMap { ["-c", $0] }
    }

    /// Waits until the server accepts connections; returns `false` if it exits or takes too long.
    private func isReady() async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(120)
        let question = ["-q", "-h", self.socket.path, "-p", "\(self.port)"]
        while try await !self.tools.succeeds("pg_isready", question) {
            guard self.keeper.isRunning, ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(50))
        }
        return true
    }

    private func createDatabase() async throws {
        let connection = ["-h", self.socket.path, "-p", "\(self.port)", "-U", "postgres"]
        guard try await !self.tools.succeeds("psql", connection + ["-d", "wallet", "-c", ""]) else { return }
        try await self.tools.run("createdb", connection + ["wallet"])
    }

    /// Returns a role's connection URL through the socket; another port selects a pooler in front of the server.
    func url(role: String, port: Int? = nil) -> String {
        let host = self.socket.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self.socket.path
        return "postgresql://\(role)@/wallet?host=\(host)&port=\(port ?? self.port)"
    }

    /// Returns the superuser's connection URL over TCP, for users and their tools.
    func administratorURL(password: String) -> String {
        "postgresql://postgres:\(password)@127.0.0.1:\(self.port)/wallet"
    }

    /// Stops the server and waits until it has written all data.
    package func stop() async {
        await self.keeper.stop()
        self.socket.removeIfTemporary()
    }
}

extension PrivateCluster: Service {
    /// Runs until shutdown; throws if the server stops unexpectedly.
    package func run() async throws {
        try await self.keeper.keep("PostgreSQL", log: self.directory.clusterLog)
    }
}

/// Creates a cluster's files atomically.
private struct ClusterFiles: Sendable {
    let directory: DataDirectory
    let tools: PostgresTools

    /// Runs initdb in a temporary directory and then moves the result, so that an interrupted start leaves no
    /// incomplete cluster.
    func createIfMissing(password: String) async throws {
        try self.createLog()
        guard !FileManager.default.fileExists(atPath: self.directory.cluster) else { return }

        let unfinished = "\(self.directory.cluster).new"
        let passwordFile = "\(self.directory.cluster).password"
        if FileManager.default.fileExists(atPath: unfinished) { try FileManager.default.removeItem(atPath: unfinished) }
        try FileManager.default.createDirectory(
            atPath: unfinished,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        try self.handOver(unfinished)
        try self.directory.writePrivately(password, to: passwordFile)
        defer { unlink(passwordFile) }
        try self.handOver(passwordFile)

        try await self.tools.run(
            "initdb",
            [
                "--pgdata=\(unfinished)", "--username=postgres", "--pwfile=\(passwordFile)", "--encoding=UTF8",
                "--locale=C", "--auth-local=trust", "--auth-host=scram-sha-256",
            ]
        )
        guard rename(unfinished, self.directory.cluster) == 0 else {
            throw CommandError(.system, "Cannot create \(self.directory.cluster).")
        }
    }

    private func createLog() throws {
        let log = self.directory.clusterLog
        guard !FileManager.default.fileExists(atPath: log) else { return }
        try self.directory.writePrivately("", to: log)
    }

    /// Changes the owner of a file to the account that runs the server.
    private func handOver(_ path: String) throws {
        guard let account = self.tools.account else { return }
        try FileManager.default.setAttributes([.ownerAccountName: account], ofItemAtPath: path)
    }
}

/// The directory of the server's socket: the cluster's own directory, or a short temporary one if that path is too
/// long.
struct SocketDirectory: Sendable {
    let path: String
    private let isTemporary: Bool

    /// Selects or creates the directory; only the server's account can enter it.
    init(for directory: DataDirectory, owner: String?) throws {
        // Socket addresses have at most 103 bytes on Darwin and 107 on Linux; the file's name is .s.PGSQL.12345.
        guard "\(directory.cluster)/.s.PGSQL.65535".utf8.count > 103 else {
            self.path = directory.cluster
            self.isTemporary = false
            return
        }
        self.path = "/tmp/credit-wallet-\(UUID().uuidString.prefix(8).lowercased())"
        self.isTemporary = true
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        if let owner { attributes[.ownerAccountName] = owner }
        try FileManager.default.createDirectory(
            atPath: self.path,
            withIntermediateDirectories: false,
            attributes: attributes
        )
    }

    /// Removes the directory if it was created for this run.
    func removeIfTemporary() {
        guard self.isTemporary else { return }
        rmdir(self.path)
    }
}

/// A pgbouncer in transaction mode in front of a private cluster, as many database hosts provide it.
///
/// Pgbouncer shares few server sessions between transactions, so session state does not survive a transaction. It is
/// reachable only through the cluster's socket directory.
package struct PrivatePooler: Sendable {
    private static let places = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"]

    let cluster: PrivateCluster
    let port: Int
    let keeper: ServerSupervisor

    /// Starts the pooler, which writes to the cluster's log.
    package static func start(before cluster: PrivateCluster) throws -> PrivatePooler {
        guard let program = Self.places.first(where: FileManager.default.isExecutableFile) else {
            throw CommandError(.unavailable, "pgbouncer is not installed.")
        }
        let port = try FreePort.find()
        let place = cluster.directory.cluster
        // The server's account reads these files, and no other account can enter the directory.
        try Data("\"wallet_service\" \"\"\n".utf8).write(to: URL(filePath: "\(place)/pgbouncer.users"))
        let configuration = """
            [databases]
            * = host=\(cluster.socket.path) port=\(cluster.port)
            [pgbouncer]
            listen_addr =
            listen_port = \(port)
            unix_socket_dir = \(cluster.socket.path)
            auth_type = trust
            auth_file = \(place)/pgbouncer.users
            pool_mode = transaction
            default_pool_size = 4

            """
        try Data(configuration.utf8).write(to: URL(filePath: "\(place)/pgbouncer.ini"))
        let keeper = try ServerSupervisor.start(
            cluster.tools.asAccount([program, "\(place)/pgbouncer.ini"]),
            log: cluster.directory.clusterLog
        )
        return PrivatePooler(cluster: cluster, port: port, keeper: keeper)
    }

    /// The connection URL of the service's role through the pooler.
    var serviceURL: String { self.cluster.url(role: "wallet_service", port: self.port) }
}

extension PrivatePooler: Service {
    /// Runs until shutdown; throws if the pooler stops unexpectedly.
    package func run() async throws {
        try await self.keeper.keep("pgbouncer", log: self.cluster.directory.clusterLog)
    }
}
