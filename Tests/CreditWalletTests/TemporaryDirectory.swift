import Foundation

/// A temporary directory of one test, removed when the value is deallocated.
final class TemporaryDirectory: Sendable {
    let path: String

    /// Creates the directory; other users can read it, since a PostgreSQL server that root starts runs as another
    /// user.
    init() throws {
        let folder = FileManager.default.temporaryDirectory
        self.path = folder.appending(path: "wallet-test-\(UUID().uuidString.prefix(8))").path(percentEncoded: false)
        try FileManager.default.createDirectory(
            atPath: self.path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: "\(self.path)/\(name)", atomically: true, encoding: .utf8)
    }

    func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(filePath: "\(self.path)/\(name)"))
    }
}
