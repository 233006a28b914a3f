import Foundation
import Testing
import Wallet

@testable import WalletAPI

@Suite struct ProblemTitleTests {
    @Test func `every slug of Swift code has a title`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
            .standardizedFileURL
        let files = try ["Wallet", "WalletAPI", "WalletConsole"].flatMap { module in
            let root = sources.appending(path: module)
            return try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)).allObjects
        }
        // The slug is the argument after the status in `Problem(…)` and `self.init(…)`, the first one in `notFound(…)`,
        // and the argument `slug`.
        let patterns = [
            /(?:Problem|self\.init)\(\s*\.\w+,\s*"([a-z-]+)"/, /notFound\(\s*"([a-z-]+)"/, /slug: "([a-z-]+)"/,
        ]
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for pattern in patterns {
                for match in text.matches(of: pattern) { found.insert(String(match.1)) }
            }
        }
        #expect(found.isSuperset(of: ["wrong-app", "webhook-not-configured", "offer-not-found", "not-mergeable"]))
        // Only commands refuse a production database.
        #expect(found.subtracting(ProblemTitles.table.keys) == ["database-is-production"])
    }
}
