import Foundation
import ServiceLifecycle

/// A PostgreSQL server of our own, for development: its data in one directory, reachable on loopback only.
///
/// Local connections go through a socket in a directory that only the server's account may enter, without a password;
/// TCP asks for one. The server runs under a keeper process that stops it when this process goes away, however it goes.
struct PrivateCluster: Sendable {
    let directory: DataDirectory
    let tools: PostgresTools
    let socket: SocketDirectory
    let port: Int
    let keeper: ServerSupervisor

    /// Starts the server, creating the cluster and the database `wallet` where they are missing.
    ///
    /// A server that an earlier run left behind is stopped first.
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
                // Somebody else may bind the port between the search and the server's own bind.
                guard attempt < 3, try FreePort.isTaken(port) else { break }
                continue
            }
            try await cluster.createDatabase()
            return cluster
        }
        socket.removeIfTemporary()
        throw CommandError(.unavailable, "PostgreSQL did not start; \(directory.clusterLog) says why.")
    }

    /// The connection URL of a role through the socket; of another port for what stands before the server.
    func url(role: String, port: Int? = nil) -> String {
        let host = self.socket.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self.socket.path
        return "postgresql://\(role)@/wallet?host=\(host)&port=\(port ?? self.port)"
    }

    /// The superuser's connection URL over TCP, for people and their tools.
    func administratorURL(password: String) -> String {
        "postgresql://postgres:\(password)@127.0.0.1:\(self.port)/wallet"
    }

    /// Stops the server and waits until it has written everything.
    func stop() async {
        await self.keeper.stop()
        self.socket.removeIfTemporary()
    }

    /// Ends a server that an earlier run left behind, unless that run's keeper is faster.
    static func endLeftBehind(_ directory: DataDirectory, tools: PostgresTools) async throws {
        let status = ["status", "-D", directory.cluster]
        guard try await tools.succeeds("pg_ctl", status) else { return }
        do {
            try await tools.run("pg_ctl", ["stop", "-D", directory.cluster, "-m", "fast", "-w"])
        } catch {
            // It fails where the server went away between the question and the command, and then all is well.
            guard try await !tools.succeeds("pg_ctl", status) else { throw error }
        }
    }

    private static func arguments(_ directory: DataDirectory, socket: SocketDirectory, port: Int) -> [String] {
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(socket.path)",
            "unix_socket_permissions=0700", "timezone=UTC", "log_timezone=UTC", "shared_buffers=64MB",
            // Compiling the invariant views would take seconds, and save none on so few rows.
            "jit=off",
        ]
        return ["-D", directory.cluster] + settings.flatMap { ["-c", $0] }
    }

    /// Waits until the server takes connections; false where it ended or needs too long.
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
    /// Keeps the server until shutdown; ends with an error if it stops by itself.
    func run() async throws {
        try await self.keeper.keep("PostgreSQL", log: self.directory.clusterLog)
    }
}
