import Foundation
public import Postgres

/// The package's `sql/` folder.
public enum SQLFolder {
    /// Reads every `.sql` file.
    ///
    /// - Returns: The files, sorted by path.
    /// - Throws: ``TestSupportError`` when the folder cannot be read.
    public static func files() throws -> [SQLFile] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../sql").standardizedFileURL
        guard let paths = FileManager.default.enumerator(atPath: root.path(percentEncoded: false)) else {
            throw TestSupportError("the folder sql/ of the package is not where it was built")
        }
        return try paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".sql") }.sorted().map { path in
            SQLFile(path: path, contents: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }
}
