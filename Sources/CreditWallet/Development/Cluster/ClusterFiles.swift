import Foundation

/// Creates a cluster's files atomically.
struct ClusterFiles: Sendable {
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
