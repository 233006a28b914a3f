import Foundation
import Postgres
import TestSupport
import Testing

@testable import CreditWallet

/// Tests with two wallets, one with a reachable database and one without.
@Suite struct ServeCellsTests {
    private static func environment(of url: String) -> [String: String] {
        ServeConfiguration.environment().merging([
            "DATABASE_URL": "", "WALLETS": "eu:\(url),us:postgresql://127.0.0.1:1/none", "AUTH_ISSUERS": "main,usmain",
            "AUTH_MAIN_WALLET": "eu", "AUTH_USMAIN_ISSUER": "https://us.issuer.example", "AUTH_USMAIN_WALLET": "us",
            "AUTH_USMAIN_AUDIENCES": "authenticated", "US_APPSTORE_BUNDLE_IDS": "com.example.us",
            "AUTH_USMAIN_HS256_SECRET": "another-secret-of-at-least-32-bytes-for-us",
        ]) { $1 }
    }

    @Test(.emptyDatabase) func `a command works for each reachable wallet, and serve needs at least one`() async throws
    {
        let database = try TestDatabase.current
        let owner = Self.environment(of: database.url)
        let service = Self.environment(of: try database.serviceURL)

        let refused = try await Executable.run(["serve"], environment: owner)
        #expect(refused.status == 69)
        #expect(refused.errors.contains("eu: The database is not migrated; run credit-wallet migrate."))

        let migrated = try await Executable.run(["migrate"], environment: owner)
        #expect(migrated.status == 69)
        #expect(migrated.output.contains("eu: applied migrations/"), "\(migrated.output)")
        #expect(migrated.output.split(separator: "\n").allSatisfy { $0.hasPrefix("eu: ") })
        #expect(migrated.errors.hasPrefix("credit-wallet: us: The database does not respond: "), "\(migrated.errors)")

        let one = try await Executable.run(["verify", "--json", "--wallet", "eu"], environment: owner)
        #expect(one.status == 0)
        let report = try JSONSerialization.jsonObject(with: Data(one.output.utf8)) as? [String: Any]
        #expect(report?["wallet"] as? String == "eu")
        #expect(report?["intact"] as? Bool == true)

        // A start continues with one reachable wallet; a check requires all of them.
        let check = try await Executable.run(["serve", "--check"], environment: service)
        #expect(check.status == 69)
        #expect(check.errors.contains("us: The database does not respond"), "\(check.errors)")
    }
}
