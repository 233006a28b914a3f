/// What anyone who follows a wallet is told.
public enum BalanceUpdate: Sendable {
    /// What the wallet holds, as it was read after the last change heard of.
    case balance(Balance)
    /// The user was deleted or merged into another: nothing more comes.
    case gone
}
