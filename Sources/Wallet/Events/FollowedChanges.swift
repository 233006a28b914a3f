/// The followed wallets that have changed, as returned by `functions/events/followed_changes.sql`.
struct FollowedChanges: Sendable {
    /// The point up to which changes were checked; the next query starts from it.
    let until: String
    /// A Boolean value that indicates whether ``wallets`` contains all changes; if not, any wallet may have changed.
    let isComplete: Bool
    let wallets: [BalanceSubscribers.Key]
}
