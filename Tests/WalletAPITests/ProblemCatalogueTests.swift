import Foundation
import Testing
import Wallet
import Yams

@testable import WalletAPI

/// Tests that compare `problems.yaml` with the code that refuses.
@Suite struct ProblemCatalogueTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    /// The members of each refusal of `problems.yaml`.
    private func catalogue() throws -> [String: [String: Any]] {
        let file = Self.root.appending(path: "Sources/Wallet/Refusals/problems.yaml")
        return try #require(try Yams.load(yaml: String(contentsOf: file, encoding: .utf8)) as? [String: [String: Any]])
    }

    /// Returns the texts of all files in folders of the package that have an extension.
    private func texts(_ extension: String, in folders: [String]) throws -> [String] {
        try folders.flatMap { folder in
            let files = FileManager.default.enumerator(
                at: Self.root.appending(path: folder),
                includingPropertiesForKeys: nil
            )
            return try #require(files).compactMap { $0 as? URL }.filter { $0.pathExtension == `extension` }
                .map { try String(contentsOf: $0, encoding: .utf8) }
        }
    }

    /// Returns the slugs that SQL functions raise or return.
    private func slugsOfSQL() throws -> Set<String> {
        let patterns = [
            /ERRCODE = 'WL[45]\d\d',\s+(?:MESSAGE|DETAIL) = '([a-z-]+)'/, /refusal\(\s*\d{3}, '([a-z-]+)'/,
        ]
        return try self.slugs(matching: patterns, in: self.texts("sql", in: ["sql/functions", "sql/migrations"]))
    }

    /// Returns the slugs that Swift code creates.
    private func slugsOfSwift() throws -> Set<String> {
        // The slug is the argument after the status in `Problem(…)` and `self.init(…)`, the first one in `notFound(…)`,
        // and the argument `slug`.
        let patterns = [
            /(?:Problem|self\.init)\(\s*\.\w+,\s*"([a-z-]+)"/, /notFound\(\s*"([a-z-]+)"/, /slug: "([a-z-]+)"/,
        ]
        let folders = ["Sources/Wallet", "Sources/WalletAPI", "Sources/WalletConsole"]
        return try self.slugs(matching: patterns, in: self.texts("swift", in: folders))
    }

    private func slugs(matching patterns: [Regex<(Substring, Substring)>], in texts: [String]) -> Set<String> {
        Set(texts.flatMap { text in patterns.flatMap { text.matches(of: $0).map { String($0.1) } } })
    }

    @Test func `every slug of Swift code has a title`() throws {
        let found = try self.slugsOfSwift()
        #expect(found.isSuperset(of: ["wrong-app", "webhook-not-configured", "offer-not-found", "not-mergeable"]))
        // Only commands refuse a production database.
        #expect(found.subtracting(ProblemType.all.keys) == ["database-is-production"])
    }

    @Test func `every slug of SQL and Swift code is in the catalogue`() throws {
        let found = try self.slugsOfSQL().union(self.slugsOfSwift())
        #expect(found.isSuperset(of: ["class-full", "one-row-at-a-time", "ledger-is-append-only", "wrong-app"]))
        #expect(try found.subtracting(self.catalogue().keys) == [])
    }

    @Test func `every refusal of the catalogue is used`() throws {
        // The rows of wallet.admin_sentence do not count.
        let sql = try self.texts("sql", in: ["sql/functions", "sql/migrations"]).map {
            $0.replacing(#/ {8}\('[a-z-]+', '.*'\),?\n/#, with: "")
        }.joined()
        let folders = ["CreditWallet", "StoreSync", "Wallet", "WalletAPI", "WalletSupabase"].map { "Sources/\($0)" }
        let swift = try self.texts("swift", in: folders).joined()
        for slug in try self.catalogue().keys {
            #expect(sql.contains("'\(slug)'") || swift.contains("\"\(slug)\""), "\(slug)")
        }
    }

    @Test func `the service has every refusal of the catalogue that can reach a client`() throws {
        let described = try self.catalogue().filter { $0.value["title"] != nil }
        #expect(Set(described.keys) == Set(ProblemType.all.keys))
        for (slug, type) in ProblemType.all {
            #expect(described[slug]?["title"] as? String == type.title)
            #expect(described[slug]?["status"] as? Int == type.status)
            #expect(described[slug]?["repeat"] as? String == type.repetition.rawValue)
            #expect(described[slug]?["cause"] as? String == type.cause)
            #expect(described[slug]?["fix"] as? String == type.fix)
        }
    }

    @Test func `the examples of openapi.yaml have the titles and statuses of the catalogue`() throws {
        let example = /type: https:\/\/credit-wallet\.example\/problems\/([a-z-]+)\n\s+title: (.+)\n\s+status: (\d+)\n/
        let examples = EmbeddedOpenAPI.yaml.matches(of: example)
        #expect(examples.count > 50)
        for match in examples {
            let type = ProblemType.all[String(match.1)]
            #expect(type?.title == String(match.2))
            #expect(type?.status == Int(match.3))
        }
    }
}
