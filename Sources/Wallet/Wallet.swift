public import Postgres

/// The credit wallet: one method per operation, each of which is one call of a function or view under `sql/`.
///
/// Everything that decides about money happens in PostgreSQL. The methods throw ``WalletError`` for refusals
/// (4xx, decided) and for failures of the database (503, undecided: the same call may be repeated with the same key).
public struct Wallet: Sendable {
    let pool: Pool

    /// Makes a wallet over a pool; the pool's `run()` must be running.
    ///
    /// - Parameter pool: Connections of the role `wallet_service`.
    public init(pool: Pool) {
        self.pool = pool
    }
}
