import Foundation

/// What a command prints for machines: one JSON object, its members in snake case and sorted.
enum CommandJSON {
    static func text(_ report: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(report), as: UTF8.self)
    }
}
