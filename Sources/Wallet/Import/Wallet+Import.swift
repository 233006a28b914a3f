public import Foundation
import Postgres

extension Wallet {
    /// Whether the pool's role may import; the service's own may not.
    ///
    /// - Returns: Whether it may.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func mayImport() async throws -> Bool {
        try await self.query(
            "SELECT has_function_privilege('wallet.import_wallet'::regproc, 'EXECUTE') AS allowed"
        ) { row in try row.decode("allowed", as: Bool.self) }.first ?? false
    }

    /// Lets no store grant what it sold before an instant, since imported balances hold it already.
    ///
    /// Instants never move back. Needs the owner's rights or a superuser's. SQL: `functions/import/set_cut_over.sql`.
    ///
    /// - Parameters:
    ///   - instant: The instant at which the other system stopped.
    ///   - environment: Into which wallets will be imported.
    ///   - isDryRun: Whether only to report what would change.
    /// - Returns: The stores that are enabled.
    /// - Throws: ``WalletError`` 409 `already-granted` with the stores that granted such a purchase already, 422
    ///   `cut-over-ahead` for an instant that is yet to come, 503 when the database does not answer.
    public func setCutOver(
        _ instant: Date,
        in environment: WalletEnvironment,
        isDryRun: Bool
    ) async throws -> [StoreCutOver] {
        try await self.query(
            """
            SELECT c.* FROM wallet.set_cut_over(
                \(instant), \(environment.rawValue)::wallet.environment, \(isDryRun)
            ) AS c
            """
        ) { row in
            StoreCutOver(
                store: try row.decode("store"),
                before: try row.decode("grants_from_before"),
                grantsFrom: try row.decode("grants_from")
            )
        }
    }

    /// Imports one user's balance from another system, once for each source.
    ///
    /// One transaction. Needs the owner's rights or a superuser's: the service mints nothing. SQL:
    /// `functions/import/import_wallet.sql`.
    ///
    /// - Parameters:
    ///   - balance: What the other system says.
    ///   - source: What the other system is called; the same user of the same source is imported once.
    ///   - environment: Into which of the user's wallets.
    ///   - expiresAt: When what is left of it lapses; nil for never.
    ///   - isDryRun: Whether only to report what would be.
    /// - Returns: What became of it.
    /// - Throws: ``WalletError`` 503 when the database does not answer; the same call may then be repeated.
    public func importBalance(
        _ balance: ImportedBalance,
        from source: String,
        into environment: WalletEnvironment,
        expiresAt: Date?,
        isDryRun: Bool
    ) async throws -> ImportOutcome {
        let outcomes = try await self.query(
            """
            SELECT o.* FROM wallet.import_wallet(
                \(source), \(balance.user.rawValue), \(environment.rawValue)::wallet.environment,
                \(json: balance.movements), \(balance.credits), \(balance.visits), \(balance.at?.text)::timestamptz,
                \(isDryRun), \(balance.reason), coalesce(\(expiresAt), 'infinity'),
                \(balance.user.appAccountToken)
            ) AS o
            """,
            ImportOutcome.init
        )
        guard let outcome = outcomes.first else { throw WalletError(status: 500, slug: "internal-error") }
        return outcome
    }
}

extension ImportOutcome {
    fileprivate init(_ row: Row) throws {
        guard let result = Result(rawValue: try row.decode("result")) else {
            throw PostgresError(.decoding, "column 'result' is no result of an import")
        }
        self.init(
            result: result,
            reason: try row.decode("reason"),
            entries: Int(try row.decode("entries", as: Int32.self)),
            before: ImportTotals(
                credits: try row.decode("credits_before"),
                visits: try row.decode("visits_before")
            ),
            after: ImportTotals(credits: try row.decode("credits"), visits: try row.decode("visits"))
        )
    }
}
