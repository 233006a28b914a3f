import Foundation

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
