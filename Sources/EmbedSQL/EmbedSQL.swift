import Foundation

/// Writes text files into one Swift source file of string literals, so that the server carries them in its binary.
///
/// Usage: `EmbedSQL <kind> <input> <output.swift>`; the input of `openapi` and `problems` is a file, that of `sql`,
/// `demo`, `console`, `reference` and `guides` a folder.
@main
enum EmbedSQL {
    /// The guides for users of the API; the other guides are for operators.
    private static let guides = [
        "apps.md", "events.md", "guarantees.md", "rules.md", "sandbox.md", "supabase.md",
    ]

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 3, let kind = arguments.first else { throw EmbedError.usage }
        let input = URL(filePath: arguments[arguments.startIndex + 1])
        let output = URL(filePath: arguments[arguments.startIndex + 2])

        let source =
            switch kind {
            case "sql": try self.source(of: SQLFolder(root: input).files(), in: input, as: "EmbeddedSQL")
            case "demo": try self.source(of: self.files(in: input), in: input, as: "EmbeddedDemo")
            case "console": try self.source(of: self.files(in: input), in: input, as: "EmbeddedConsole")
            case "reference": try self.source(of: self.files(in: input), in: input, as: "EmbeddedReference")
            case "guides": try self.source(of: self.guides, in: input, as: "EmbeddedGuides")
            case "openapi": try self.openAPISource(file: input)
            case "problems":
                try ProblemCatalogue(self.text(of: input), path: input.path(percentEncoded: false)).source
            default: throw EmbedError.usage
            }
        try Data(source.utf8).write(to: output, options: .atomic)
    }

    /// Returns the source of an enumeration that holds the files of a folder by their paths inside the folder.
    static func source(of paths: [String], in folder: URL, as name: String) throws -> String {
        let entries = try paths.map { path in
            let contents = try self.text(of: folder.appending(path: path))
            return "(path: \(StringLiteral(line: path).source), contents: \(StringLiteral(lines: contents).source))"
        }
        return """
            enum \(name) {
                static let files: [(path: String, contents: String)] = [
            \(entries.map { "\($0),\n" }.joined())]
            }

            """
    }

    private static func files(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
    }

    /// Returns the source of `EmbeddedOpenAPI`, which holds the description of the API unchanged.
    static func openAPISource(file: URL) throws -> String {
        """
        enum EmbeddedOpenAPI {
            static let yaml: String = \(StringLiteral(lines: try self.text(of: file)).source)
        }

        """
    }

    /// Reads a file; throws if a Swift literal could not reproduce it byte for byte.
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
