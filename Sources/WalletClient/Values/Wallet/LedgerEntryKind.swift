/// What an entry of the ledger did.
public struct LedgerEntryKind: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Something was granted.
    public static let grant = Self(rawValue: "grant")
    /// A booking was paid.
    public static let spend = Self(rawValue: "spend")
    /// A cancellation returned what was paid.
    public static let `return` = Self(rawValue: "return")
    /// What was left of a lot expired.
    public static let lapse = Self(rawValue: "lapse")
    /// The store refunded the purchase.
    public static let refund = Self(rawValue: "refund")
    /// The store took a refund back.
    public static let refundReversal = Self(rawValue: "refund_reversal")
    /// A grant repaid what was owed.
    public static let repay = Self(rawValue: "repay")
    /// What had been repaid came back.
    public static let repayReturn = Self(rawValue: "repay_return")
    /// The studio corrected the balance.
    public static let adjust = Self(rawValue: "adjust")
    /// What a period left moved into the next.
    public static let rollover = Self(rawValue: "rollover")
    /// A returned amount reopened a lot.
    public static let reopen = Self(rawValue: "reopen")
    /// What the wallet held moved to another account.
    public static let transferOut = Self(rawValue: "transfer_out")
    /// What another account held moved in.
    public static let transferIn = Self(rawValue: "transfer_in")
    /// A balance was taken over from another system.
    public static let `import` = Self(rawValue: "import")
}
