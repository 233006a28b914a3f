import Foundation

/// The folder of third-party payloads, which is not part of this repository.
enum ThirdPartyFiles {
    private static let folder: URL = {
        let named = ProcessInfo.processInfo.environment["WALLET_VECTORS"]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return URL(fileURLWithPath: named ?? "../shared/vectors", relativeTo: root)
    }()

    static let arePresent = FileManager.default.fileExists(atPath: folder.appendingPathComponent("README.md").path)

    static func bytes(of path: String) throws -> Data {
        try Data(contentsOf: self.folder.appendingPathComponent(path))
    }

    static func names(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.folder.appendingPathComponent(path).path).sorted()
    }
}
