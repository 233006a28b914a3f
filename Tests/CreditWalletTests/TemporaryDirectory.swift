import Foundation

/// A directory of one test, removed with the value.
final class TemporaryDirectory: Sendable {
    let path: String

    /// Makes the directory; it is readable for others, since root's PostgreSQL runs as another user.
    init() throws {
        self.path = "/tmp/wallet-test-\(UUID().uuidString.prefix(8))"
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
