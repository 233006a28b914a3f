public import Postgres

/// The credit wallet: one method per operation, each of which is one call of a function or view under `sql/`.
///
/// Everything that decides about money happens in PostgreSQL. The methods throw ``WalletError`` for refusals
/// (4xx, decided) and for failures of the database (503, undecided: the same call may be repeated with the same key).
public struct Wallet: Sendable {
    let pool: Pool
    let bookings: BookingQueue

    /// Makes a wallet over a pool; the pool's `run()` must be running.
    ///
    /// - Parameters:
    ///   - pool: Connections of the role `wallet_service`.
    ///   - grouping: How bookings and cancellations are decided together.
    public init(pool: Pool, grouping: GroupingConfiguration = GroupingConfiguration()) {
        self.pool = pool
        self.bookings = BookingQueue(pool: pool, configuration: grouping)
    }
}
