/// An update for the followers of a wallet.
public enum BalanceUpdate: Sendable {
    /// The wallet's balance, read after the last known change.
    case balance(Balance)
    /// The user was deleted or merged into another; no further updates follow.
    case gone
}
