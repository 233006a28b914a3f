public import Foundation
import Postgres

extension Wallet {
    /// Returns whether the pool's role may import; the service's own role may not.
    ///
    /// - Returns: A Boolean value that indicates whether the role may import.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func mayImport() async throws -> Bool {
        try await self.query(
            "SELECT has_function_privilege('wallet.import_wallet'::regproc, 'EXECUTE') AS allowed"
        ) { row in try row.decode("allowed", as: Bool.self) }.first ?? false
    }

    /// Prevents stores from granting purchases before an instant, because imported balances already contain them.
    ///
    /// Instants never move back. The role must be the owner or a superuser. SQL: `functions/import/set_cut_over.sql`.
    ///
    /// - Parameters:
    ///   - instant: The instant at which the other system stopped.
    ///   - environment: The environment of the wallets to import.
    ///   - isDryRun: A Boolean value that indicates whether to report the changes without making them.
    /// - Returns: The enabled stores.
    /// - Throws: ``WalletError`` 409 `already-granted` with the stores that have already granted such a purchase, 422
    ///   `cut-over-ahead` for a future instant, 503 when the database does not answer.
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
    /// The import is one transaction; the name and the email address follow in another one, also for a user who was
    /// imported before. The role must be the owner or a superuser, because the service's role must not create credits.
    /// SQL: `functions/import/import_wallet.sql`, `functions/accounts/profiles.sql`.
    ///
    /// - Parameters:
    ///   - balance: The balance in the other system.
    ///   - source: The name of the other system; each user is imported once for each source.
    ///   - environment: The environment of the user's wallet.
    ///   - expiresAt: The time at which the imported balance expires; `nil` for never.
    ///   - isDryRun: A Boolean value that indicates whether to report the result without importing.
    /// - Returns: The result of the import.
    /// - Throws: ``WalletError`` 503 when the database does not answer; the same call may then be repeated.
    public func importBalance(
        _ balance: ImportedBalance,
        from source: String,
        into environment: WalletEnvironment,
        expiresAt: Date?,
        isDryRun: Bool
    ) async throws -> ImportOutcome {
        let outcome = try await self.queryOne(
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
        if let profile = balance.profile, !isDryRun, outcome.result != .refused {
            try await self.execute(
                """
                SELECT wallet.import_profile(
                    \(balance.user.rawValue), \(profile.name), \(profile.email)
                )::text AS done
                """
            )
        }
        return outcome
    }
}

/// The start of a store's grants, before and after an import; the store grants only later purchases.
public struct StoreCutOver: Sendable, Equatable, Encodable {
    /// The store.
    public var store: String
    /// The start before the import.
    public var before: Date
    /// The start after the import.
    public var grantsFrom: Date

    enum CodingKeys: String, CodingKey {
        case store
        case before = "grants_from_before"
        case grantsFrom = "grants_from"
    }
}

/// The result of importing one balance.
public struct ImportOutcome: Sendable, Equatable {
    /// The kind of result.
    public enum Result: String, Sendable, Encodable {
        /// The balance was imported, or would be in a dry run.
        case imported
        /// The balance was imported before.
        case unchanged
        /// The source reports another balance than the one imported before; nothing was changed.
        case changed
        /// The balance cannot be imported; see the reason.
        case refused
    }

    /// The kind of result.
    public var result: Result
    /// The reason for a refusal.
    ///
    /// For an import, a note about its history: completed (`balance-repaired`), or omitted because the wallet already
    /// had entries (`wallet-in-use`).
    public var reason: String?
    /// The number of ledger entries that the import made.
    public var entries: Int
    /// The wallet's balance before the import.
    public var before: ImportTotals
    /// The wallet's balance after the import.
    public var after: ImportTotals

    /// Creates a result.
    public init(result: Result, reason: String?, entries: Int, before: ImportTotals, after: ImportTotals) {
        self.result = result
        self.reason = reason
        self.entries = entries
        self.before = before
        self.after = after
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

/// The credits and visits of one wallet, or the totals of several.
public struct ImportTotals: Sendable, Equatable, Encodable {
    /// The credits.
    public var credits: Int64
    /// The visits.
    public var visits: Int64

    /// Creates a pair.
    public init(credits: Int64 = 0, visits: Int64 = 0) {
        self.credits = credits
        self.visits = visits
    }

    /// Adds another pair.
    public static func += (total: inout Self, other: Self) {
        total.credits += other.credits
        total.visits += other.visits
    }
}
