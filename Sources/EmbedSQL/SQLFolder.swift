import Foundation

/// The folder `sql/`; the build embeds everything in it except the tests and benchmarks.
struct SQLFolder {
    let root: URL

    /// Lists the files to embed, as paths relative to the root in byte order.
    func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self.root.path(percentEncoded: false))
            .filter { $0.hasSuffix(".sql") && !$0.hasPrefix("tests/") && !$0.hasPrefix("bench/") }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
