import Foundation

/// Encodes a command's JSON output: one object with sorted members in snake case.
enum CommandJSON {
    static func text(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
