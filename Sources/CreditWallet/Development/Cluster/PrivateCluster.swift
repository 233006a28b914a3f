import Foundation
import ServiceLifecycle

/// A private PostgreSQL server for development: its data is in one directory, and it listens only on loopback.
///
/// Local connections use a socket without a password, in a directory that only the server's account can enter. TCP
/// connections need a password. A supervisor process stops the server when this process ends for any reason.
struct PrivateCluster: Sendable {
    let directory: DataDirectory
    let tools: PostgresTools
    let socket: SocketDirectory
    let port: Int
    let keeper: ServerSupervisor

    /// Starts the server, and creates the cluster and the database `wallet` if they are missing.
    ///
    /// A server that an earlier run left running is stopped first.
    static func start(in directory: DataDirectory, password: String) async throws -> PrivateCluster {
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
    func stop() async {
        await self.keeper.stop()
        self.socket.removeIfTemporary()
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
}

extension PrivateCluster: Service {
    /// Runs until shutdown; throws if the server stops unexpectedly.
    func run() async throws {
        try await self.keeper.keep("PostgreSQL", log: self.directory.clusterLog)
    }
}
