import Foundation

/// Writes text files into one Swift source file of string literals, so that the server carries them in its binary.
///
/// Usage: `EmbedSQL sql <folder> <output.swift>` or `EmbedSQL openapi <file> <output.swift>`.
@main
enum EmbedSQL {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let kind = arguments.first else { throw EmbedError.usage }
        let input = URL(filePath: arguments[arguments.startIndex + 1])
        let output = URL(filePath: arguments[arguments.startIndex + 2])

        let source =
            switch kind {
            case "sql": try self.sqlSource(folder: input)
            case "openapi": try self.openAPISource(file: input)
            default: throw EmbedError.usage
            }
        try Data(source.utf8).write(to: output, options: .atomic)
    }

    /// Makes the source of `EmbeddedSQL`: every SQL file of a folder, by its path in there.
    static func sqlSource(folder: URL) throws -> String {
        let entries = try SQLFolder(root: folder).files().map { path in
            let contents = try self.text(of: folder.appending(path: path))
            return "(path: \(StringLiteral(line: path).source), contents: \(StringLiteral(lines: contents).source))"
        }
        return """
            enum EmbeddedSQL {
                static let files: [(path: String, contents: String)] = [
            \(entries.map { "\($0),\n" }.joined())]
            }

            """
    }

    /// Makes the source of `EmbeddedOpenAPI`: the interface's description as it is on disk.
    static func openAPISource(file: URL) throws -> String {
        """
        enum EmbeddedOpenAPI {
            static let yaml: String = \(StringLiteral(lines: try self.text(of: file)).source)
        }

        """
    }

    /// Reads a file and refuses what a Swift literal would not give back byte for byte.
    private static func text(of file: URL) throws -> String {
        guard let text = String(validating: try Data(contentsOf: file), as: UTF8.self) else {
            throw EmbedError.notText(file.path(percentEncoded: false))
        }
        guard !text.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) else {
            throw EmbedError.notText(file.path(percentEncoded: false))
        }
        return text
    }
}
