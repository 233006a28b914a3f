import Foundation
import Postgres
import TestSupport
import Testing

@testable import Wallet

/// Tests that `sql/tests/rules/user_reads.sql`, which checks the plans of users' reads, contains the statements that the
/// service sends.
@Suite struct ReadPlanTests {
    /// A kind whose parts are the placeholders of the file.
    private enum Placeholders: UserReadKind {
        static let columns = "%1$s"
        static let joins = "%2$s"
        static let order = "%3$s"

        static func answer(_ rows: [Row], to read: UserRead) throws {}
    }

    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static func file() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let file = root.appending(path: "sql/tests/rules/user_reads.sql")
        return Self.words(try String(contentsOf: file, encoding: .utf8))
    }

    @Test(arguments: [
        ("balances", Balance.self as any UserReadKind.Type), ("bookings", BookingRead.self),
        ("entries", LedgerRead.self), ("passes", PassRead.self), ("subscriptions", SubscriptionOverview.self),
    ])
    func `the file contains the parts of each kind`(name: String, kind: any UserReadKind.Type) throws {
        let parts = "('\(name)', $$ \(kind.columns) $$, $$ \(kind.joins) $$, '\(kind.order)')"
        #expect(try Self.file().contains(Self.words(parts)))
    }

    @Test func `the file contains the statements for one and for many reads, and for purchases`() throws {
        let read = UserRead(user: UserID(rawValue: "u"), environment: .production)
        let purchases = Wallet.purchases(of: read.user, in: .production, before: nil, limit: 21)
        for statement in [Placeholders.statement(read), Placeholders.statement([]), purchases] {
            #expect(try Self.file().contains("$$ \(Self.words(statement.sql)) $$"))
        }
    }
}
