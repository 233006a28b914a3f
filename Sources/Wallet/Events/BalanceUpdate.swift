/// What the followers of a wallet are sent.
public enum BalanceUpdate: Sendable {
    /// What the wallet holds, as it was read after the last known change.
    case balance(Balance)
    /// The user was deleted or merged into another: nothing more comes.
    case gone
}
