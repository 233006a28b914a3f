package import CommandOutput
import Foundation

/// The directory of `dev`, with the cluster, its log, the generated secrets and `dev.json`.
package struct DataDirectory: Sendable {
    let path: String

    /// Creates the absolute paths of a directory; the directory itself is not created.
    package init(_ path: String) {
        let current = FileManager.default.currentDirectoryPath
        self.path = URL(filePath: path, relativeTo: URL(filePath: current, directoryHint: .isDirectory))
            .standardizedFileURL.path(percentEncoded: false).trimmingSuffix("/")
    }

    var cluster: String { "\(self.path)/postgres" }
    var clusterLog: String { "\(self.path)/postgres.log" }
    var stores: String { "\(self.path)/stores" }
    var secrets: String { "\(self.path)/secrets" }
    var description: String { "\(self.path)/dev.json" }
    var lock: String { "\(self.path)/lock" }

    /// Creates the directory if it is missing; only its owner can access the secrets.
    package func create() throws(CommandError) {
        try self.create(self.path, permissions: 0o755)
        try self.create(self.secrets, permissions: 0o700)
    }

    /// Deletes the files of `dev` in the directory and leaves other files.
    ///
    /// A server that an earlier run left running is stopped first.
    package func clear() async throws {
        let files = FileManager.default
        if files.fileExists(atPath: self.cluster) {
            try await PrivateCluster.endLeftBehind(self, tools: .find(for: self))
        }
        for path in [self.cluster, "\(self.cluster).new", self.clusterLog, self.secrets, self.stores, self.description]
        where files.fileExists(atPath: path) {
            do {
                try files.removeItem(atPath: path)
            } catch {
                throw CommandError(.system, "Cannot delete \(path): \(error.localizedDescription)")
            }
        }
        try self.create()
    }

    /// Writes a file atomically, readable only by its owner.
    func writePrivately(_ text: String, to file: String) throws(CommandError) {
        let temporary = "\(file).\(UUID().uuidString)"
        let created = FileManager.default.createFile(
            atPath: temporary,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard created, rename(temporary, file) == 0 else {
            throw CommandError(.system, "Cannot write \(file).")
        }
    }

    private func create(_ directory: String, permissions: Int) throws(CommandError) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: permissions]
            )
        } catch {
            throw CommandError(.system, "Cannot create \(directory): \(error.localizedDescription)")
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        self.hasSuffix(suffix) && self.count > suffix.count ? String(self.dropLast(suffix.count)) : self
    }
}

/// Prevents a second `dev` from using the same directory; the system releases the lock when the process ends.
package struct DirectoryLock: ~Copyable {
    private let descriptor: CInt

    /// Acquires the lock; throws if another process holds it.
    package init(_ directory: DataDirectory) throws(CommandError) {
        let descriptor = open(directory.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandError(.system, "Cannot open \(directory.lock).") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandError(.unavailable, "\(directory.path) is in use by another credit-wallet dev.")
        }
        self.descriptor = descriptor
    }

    /// Releases the lock.
    package consuming func release() {}

    deinit {
        // A program that is being started may still have a copy of the descriptor, which keeps the lock.
        flock(self.descriptor, LOCK_UN)
        close(self.descriptor)
    }
}
