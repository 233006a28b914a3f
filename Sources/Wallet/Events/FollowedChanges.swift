/// Which followed wallets have changed, as `functions/events/followed_changes.sql` answers.
struct FollowedChanges: Sendable {
    /// Until when has been looked: what to ask from next time.
    let until: String
    /// Whether ``wallets`` is all that has changed; if not, any wallet may have.
    let isComplete: Bool
    let wallets: [BalanceSubscribers.Key]
}
