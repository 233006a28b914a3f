/// The kind of a ledger entry.
public struct LedgerEntryKind: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A purchase or a period of a plan added an amount.
    public static let grant = Self(rawValue: "grant")
    /// A booking or visit was paid.
    public static let spend = Self(rawValue: "spend")
    /// A cancellation returned the payment.
    public static let `return` = Self(rawValue: "return")
    /// The remaining amount of a lot expired.
    public static let lapse = Self(rawValue: "lapse")
    /// The store refunded the purchase.
    public static let refund = Self(rawValue: "refund")
    /// The store reversed a refund.
    public static let refundReversal = Self(rawValue: "refund_reversal")
    /// A grant repaid a debt.
    public static let repay = Self(rawValue: "repay")
    /// An amount that had repaid a debt was returned.
    public static let repayReturn = Self(rawValue: "repay_return")
    /// The studio corrected the balance or gave a gift.
    public static let adjust = Self(rawValue: "adjust")
    /// The remaining amount of a period moved into the next period.
    public static let rollover = Self(rawValue: "rollover")
    /// An expired lot became spendable again.
    public static let reopen = Self(rawValue: "reopen")
    /// An amount moved to another account.
    public static let transferOut = Self(rawValue: "transfer_out")
    /// An amount moved in from another account.
    public static let transferIn = Self(rawValue: "transfer_in")
    /// A late cancellation or a no-show cost a fee.
    public static let fee = Self(rawValue: "fee")
    /// A fee was returned.
    public static let feeReturn = Self(rawValue: "fee_return")
    /// A freeze of a lot began or ended, and the lot's expiry moved; the amount is 0.
    public static let freeze = Self(rawValue: "freeze")
    /// A balance was imported from another system.
    public static let `import` = Self(rawValue: "import")
}
