import Testing

@testable import Postgres

@Suite struct StatementSummaryTests {
    @Test(arguments: [
        ("SELECT o.*, o.unit::text AS unit_name FROM wallet.book_batch(ARRAY(SELECT 1), $1) AS o", "wallet.book_batch"),
        ("SELECT\n  x.y FROM (SELECT 1) AS x INNER JOIN wallet.users AS u ON TRUE", nil),
        ("select wallet.is_ready()", "wallet.is_ready"), ("SELECT coalesce(wallet.now(), $1)", nil),
        ("UPDATE wallet.lots SET spent = 1", "wallet.lots"), ("INSERT INTO wallet.lots (a) VALUES ($1)", "wallet.lots"),
        ("CALL wallet.sweep($1)", "wallet.sweep"), ("SELECT 1.5 + f(2.5)", nil), ("COMMIT", nil), ("", nil),
    ])
    func `a statement is summarized by its operation and target, without values`(sql: String, target: String?) {
        let summary = StatementSummary(sql)
        #expect(summary.operation == sql.prefix(while: \.isLetter).uppercased())
        #expect(summary.text == [summary.operation, target].compactMap { $0 }.joined(separator: " "))
    }
}
