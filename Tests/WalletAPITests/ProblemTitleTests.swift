import Foundation
import Testing

@testable import WalletAPI

@Suite struct ProblemTitleTests {
    @Test func `every slug of the API layer has a title`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/WalletAPI")
            .standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        // The slug is the argument after the status in `Problem(…)` and `self.init(…)`, and the first one in
        // `notFound(…)`.
        let patterns = [/(?:Problem|self\.init)\(\s*\.\w+,\s*"([a-z-]+)"/, /notFound\(\s*"([a-z-]+)"/]
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for pattern in patterns {
                for match in text.matches(of: pattern) { found.insert(String(match.1)) }
            }
        }
        #expect(found.isSuperset(of: ["wrong-app", "webhook-not-configured", "offer-not-found", "not-mergeable"]))
        #expect(found.subtracting(ProblemTitles.table.keys) == [])
    }
}
