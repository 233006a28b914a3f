import Foundation
import ServiceLifecycle

/// A pgbouncer in transaction mode in front of a private cluster, as many database hosts provide it.
///
/// Pgbouncer shares few server sessions between transactions, so session state does not survive a transaction. It is
/// reachable only through the cluster's socket directory.
struct PrivatePooler: Sendable {
    private static let places = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"]

    let cluster: PrivateCluster
    let port: Int
    let keeper: ServerSupervisor

    /// Starts the pooler, which writes to the cluster's log.
    static func start(before cluster: PrivateCluster) throws -> PrivatePooler {
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
    func run() async throws {
        try await self.keeper.keep("pgbouncer", log: self.cluster.directory.clusterLog)
    }
}
