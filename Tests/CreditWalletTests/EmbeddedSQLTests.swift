import Foundation
import Postgres
import Testing
import Wallet

@testable import EmbedSQL

@Suite struct EmbeddedSQLTests {
    @Test func `the binary carries sql/ byte for byte, without its tests and benchmarks`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "sql")
        let onDisk = try FileManager.default.subpathsOfDirectory(atPath: root.path(percentEncoded: false))
            .filter { $0.hasSuffix(".sql") && !$0.hasPrefix("tests/") && !$0.hasPrefix("bench/") }
        let embedded = Dictionary(uniqueKeysWithValues: Wallet.sqlFiles.map { ($0.path, $0.contents) })

        #expect(Set(embedded.keys) == Set(onDisk))
        for path in onDisk {
            let contents = try Data(contentsOf: root.appending(path: path))
            #expect(embedded[path].map { Data($0.utf8) } == contents, "\(path)")
        }
    }

    @Test(arguments: [
        ("plain", "#\"plain\"#"), ("a \"quote\"", "#\"a \"quote\"\"#"), ("end\"#", "##\"end\"#\"##"),
        ("\\#(x) ##", "###\"\\#(x) ##\"###"), ("", "#\"\"#"),
    ])
    func `a literal has more fences than its text`(text: String, literal: String) {
        #expect(StringLiteral(line: text).source == literal)
        let fence = literal.prefix { $0 == "#" }
        #expect(StringLiteral(lines: text).source == "\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)")
    }

    @Test(arguments: [Data([0xFF, 0xFE]), Data("a\r\nb".utf8), Data("a\0b".utf8)])
    func `a file that a literal cannot reproduce is refused`(contents: Data) throws {
        let home = try TemporaryDirectory()
        let file = URL(filePath: "\(home.path)/x.sql")
        try contents.write(to: file)

        #expect(throws: EmbedError.self) {
            try EmbedSQL.source(of: ["x.sql"], in: URL(filePath: home.path), as: "EmbeddedSQL")
        }
        #expect(throws: EmbedError.self) { try EmbedSQL.openAPISource(file: file) }
    }

    @Test func `a problem type that reaches HTTP is embedded, and one for administrators is not`() throws {
        let text = """
            # A comment

            class-full: {"status": 409, "title": "Full", "repeat": "changed", "cause": "\\"No\\" seat", "fix": "f"}
            one-row: {"admin": "One row."}

            """
        let source = try ProblemCatalogue(text, path: "p.yaml").source
        #expect(
            source.contains(
                """
                ProblemType(slug: #"class-full"#, status: 409, title: #"Full"#, repetition: .changed, \
                cause: #""No" seat"#, fix: #"f"#),
                """
            )
        )
        #expect(!source.contains("one-row"))
    }

    @Test(arguments: [
        "b {}", "B: {\"admin\": \"x\"}", "b: {\"admin\": }", "a: {\"admin\": \"x\"}", "b: {\"status\": 409}",
        "b: {\"status\": \"409\", \"title\": \"\", \"repeat\": \"later\", \"cause\": \"\", \"fix\": \"\"}",
        "b: {\"status\": 409, \"title\": \"\", \"repeat\": \"often\", \"cause\": \"\", \"fix\": \"\"}",
    ])
    func `an invalid line of the catalogue is refused with its number`(line: String) {
        let error = #expect(throws: EmbedError.self) {
            try ProblemCatalogue("# c\na: {\"admin\": \"x\"}\n\(line)\n", path: "p.yaml")
        }
        #expect(error?.description.hasPrefix("p.yaml:3: error: ") == true)
    }
}
