import Foundation

/// The users' tokens and the classes to book.
struct LoadFixtures: Sendable {
    /// One token for each user, signed by an issuer of the service.
    let tokens: [String]
    let classes: [String]

    init(tokens: [String], classes: [String]) {
        self.tokens = tokens
        self.classes = classes
    }

    /// Reads both from files with one entry per line; empty lines are ignored.
    ///
    /// - Parameters:
    ///   - tokens: A file of tokens.
    ///   - classes: A file of class ids.
    /// - Throws: ``CommandError`` with the file and the invalid line, but never with a token.
    init(tokensFile tokens: String, classesFile classes: String) throws(CommandError) {
        self.tokens = try Self.lines(of: tokens, "a token") { $0.isLetterOrDigit || "-._".utf8.contains($0) }
        self.classes = try Self.lines(of: classes, "a class id") { $0.isLetterOrDigit || "-._:".utf8.contains($0) }
    }

    private static func lines(
        of file: String,
        _ meaning: String,
        where isAllowed: (UInt8) -> Bool
    ) throws(CommandError) -> [String] {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            throw CommandError(.configuration, "Cannot read \(file).")
        }
        var lines: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.hasSuffix("\r") ? line.dropLast() : line
            guard !line.isEmpty else { continue }
            guard line.utf8.allSatisfy(isAllowed) else {
                throw CommandError(.configuration, "\(file): line \(index + 1) is not \(meaning).")
            }
            lines.append(String(line))
        }
        guard !lines.isEmpty else { throw CommandError(.configuration, "\(file) is empty.") }
        return lines
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}
