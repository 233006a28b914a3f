import Foundation

/// A temporary file for log lines, removed when the value is deallocated.
final class TemporaryFile {
    let handle: FileHandle
    private let url: URL

    init() throws {
        self.url = FileManager.default.temporaryDirectory.appending(path: "wallet-log-\(UUID().uuidString)")
        try Data().write(to: self.url)
        self.handle = try FileHandle(forWritingTo: self.url)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// Reads the lines, each of which must be one JSON object.
    func objects() throws -> [[String: Any]] {
        try Data(contentsOf: self.url).split(separator: UInt8(ascii: "\n")).map { line in
            guard let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return object
        }
    }
}
