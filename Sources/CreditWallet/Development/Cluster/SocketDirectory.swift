import Foundation

/// Where the server's socket lies: in the cluster's own directory, or in a short one where that path is too long.
struct SocketDirectory: Sendable {
    let path: String
    private let isTemporary: Bool

    /// Picks or creates the directory; nobody but the server's account may enter it.
    init(for directory: DataDirectory, owner: String?) throws {
        // Socket addresses end at 103 bytes on Darwin and at 107 on Linux; the file is called .s.PGSQL.12345.
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

    /// Removes the directory where it was made for this run only.
    func removeIfTemporary() {
        guard self.isTemporary else { return }
        rmdir(self.path)
    }
}
