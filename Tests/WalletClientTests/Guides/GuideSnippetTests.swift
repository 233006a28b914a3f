import Foundation
import Testing

/// Tests that the Swift code of the guides is part of a compiled file.
@Suite
struct GuideSnippetTests {
    private static let project = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    private static let compiled = [
        "Tests/WalletClientTests/Guides/ReadmeSnippet.swift", "Tests/WalletClientTests/Guides/FirstBooking.swift",
        "Sources/StudioSample/StudioView.swift", "Sources/StudioSample/StoreKitShop.swift",
    ]

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.project.appending(path: path), encoding: .utf8)
    }

    /// Returns the lines of code, without indentation, imports and empty lines.
    private func lines(_ code: some StringProtocol) -> [String] {
        code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") && !$0.hasPrefix("// swift-format-ignore") }
    }

    private func blocks(_ document: String) -> [[String]] {
        document.matches(of: #/```swift\n(?<code>(.|\n)*?)```/#).map { self.lines($0.output.code) }
    }

    @Test(arguments: [
        ("README.md", 1), ("Sources/WalletClient/WalletClient.docc/FirstBooking.md", 5),
        ("Sources/WalletClient/WalletClient.docc/WalletClient.md", 1),
    ])
    func `every code block is part of a compiled file`(guide: String, count: Int) throws {
        let sources = try Self.compiled.map { "\n" + self.lines(try self.text($0)).joined(separator: "\n") + "\n" }
        let blocks = self.blocks(try self.text(guide)).filter { block in !block.contains { $0.contains(".package(") } }
        #expect(blocks.count == count)
        for block in blocks {
            let wanted = "\n" + block.joined(separator: "\n") + "\n"
            #expect(sources.contains { $0.contains(wanted) }, "\(wanted)")
        }
    }
}
