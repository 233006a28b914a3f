import Foundation

/// A test's own PostgreSQL server that can be stopped, frozen and restarted.
public struct PrivateCluster: Sendable {
    /// The URL that opens the database `postgres` as the superuser.
    public let url: String

    private let programs: String
    private let folder: String
    private let port: ReservedPort

    /// Creates a cluster in a temporary folder and starts it.
    ///
    /// - Returns: The running cluster; ``remove()`` stops it.
    /// - Throws: ``TestSupportError`` with what the programs printed.
    public static func create() async throws -> PrivateCluster {
        let cluster = try await Self.empty()
        try await cluster.program(
            "initdb",
            ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        )
        try await cluster.start()
        return cluster
    }

    /// Creates a standby that follows this cluster, and starts it.
    ///
    /// - Returns: The running standby; ``remove()`` stops it.
    /// - Throws: ``TestSupportError`` with what the programs printed.
    public func standby() async throws -> PrivateCluster {
        let standby = try await Self.empty()
        let source = "host=127.0.0.1 port=\(self.port.number) user=postgres"
        try await standby.program("pg_basebackup", ["-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", source])
        try await standby.start()
        return standby
    }

    /// Promotes this standby to a primary.
    ///
    /// - Throws: ``TestSupportError``.
    public func promote() async throws {
        try await self.program("pg_ctl", ["promote", "-w"])
    }

    private static func empty() async throws -> PrivateCluster {
        let programs = try await ShellCommand("pg_config", ["--bindir"]).run()
        let folder = FileManager.default.temporaryDirectory.appending(path: "cluster-\(UUID().uuidString)")
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        if getuid() == 0 { attributes[.ownerAccountName] = "postgres" }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: attributes)
        let path = folder.path(percentEncoded: false)
        return PrivateCluster(programs: programs, folder: path, port: try ReservedPort())
    }

    private init(programs: String, folder: String, port: ReservedPort) {
        self.programs = programs
        self.folder = folder
        self.port = port
        self.url = "postgresql://postgres@127.0.0.1:\(port.number)/postgres"
    }

    /// Starts the server and waits until it accepts connections.
    ///
    /// - Throws: ``TestSupportError``.
    public func start() async throws {
        // Compiling the invariants would take many seconds.
        let settings =
            "-p \(self.port.number) -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c jit=off"
        try await self.program("pg_ctl", ["start", "-w", "-l", "\(self.folder)/server.log", "-o", settings])
    }

    /// Stops the server at once and ends every session.
    ///
    /// - Throws: ``TestSupportError``.
    public func stop() async throws {
        try await self.program("pg_ctl", ["stop", "-w", "-m", "fast"])
    }

    /// Freezes every process of the server: sockets stay open, but the server does not respond.
    ///
    /// - Throws: ``TestSupportError`` if the server does not run.
    public func freeze() throws {
        try self.signal(SIGSTOP)
    }

    /// Resumes a frozen server.
    ///
    /// - Throws: ``TestSupportError`` if the server does not run.
    public func thaw() throws {
        try self.signal(SIGCONT)
    }

    /// Runs a body with the cluster and then removes the cluster, even after an error.
    ///
    /// - Parameter body: The body.
    /// - Throws: The body's error, or ``TestSupportError``.
    public func use(_ body: (PrivateCluster) async throws -> Void) async throws {
        do {
            try await body(self)
        } catch {
            try await self.remove()
            throw error
        }
        try await self.remove()
    }

    /// Stops the server and deletes its folder.
    ///
    /// - Throws: ``TestSupportError``.
    public func remove() async throws {
        if FileManager.default.fileExists(atPath: "\(self.folder)/postmaster.pid") {
            try self.thaw()
            try await self.program("pg_ctl", ["stop", "-w", "-m", "immediate"])
        }
        try FileManager.default.removeItem(atPath: self.folder)
    }

    private func program(_ name: String, _ arguments: [String]) async throws {
        try await ShellCommand("\(self.programs)/\(name)", ["-D", self.folder] + arguments).asServerUser().run()
    }

    private func signal(_ signal: Int32) throws {
        let lines = try String(contentsOfFile: "\(self.folder)/postmaster.pid", encoding: .utf8).split(separator: "\n")
        guard let postmaster = lines.first.flatMap({ pid_t($0) }) else {
            throw TestSupportError("the private cluster does not run")
        }
        // Signals the postmaster first, because it would notice that its children stopped.
        for process in [postmaster] + (try Self.children(of: postmaster)) { kill(process, signal) }
    }

    private static func children(of parent: pid_t) throws -> [pid_t] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { process in
            guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
                return false
            }
            // The fields after the name in parentheses are the state and the parent.
            let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && pid_t(fields[1]) == parent
        }
    }
}
