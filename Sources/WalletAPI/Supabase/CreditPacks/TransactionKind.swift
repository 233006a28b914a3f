import Wallet

/// The type of a ledger entry: one of the five types that the apps decode, and the type that they display.
struct TransactionKind: Sendable, Equatable {
    /// One of `purchase`, `spend`, `refund`, `bonus` and `admin_adjustment`, the only types that the apps decode.
    let type: String
    /// The same type, or `usage`, `rollover` or `expiration`.
    let displayType: String
    /// The description of an entry without a reason, class or product of its own.
    let name: String

    init(_ movement: CreditMovement) {
        switch movement.kind {
        case "grant" where movement.source == "promo": self.init("bonus", "bonus", "Gift")
        case "grant": self.init("purchase", "purchase", "Purchase")
        case "refund_reversal": self.init("purchase", "purchase", "Purchase restored")
        case "spend": self.init("spend", "usage", "Booking")
        case "return", "reopen": self.init("refund", "refund", "Cancellation")
        case "refund": self.init("refund", "refund", "Purchase refunded")
        case "rollover": self.init("bonus", "rollover", "Rollover")
        case "lapse": self.init("admin_adjustment", "expiration", "Expired")
        case "adjust" where movement.source == "promo": self.init("bonus", "bonus", "Gift")
        case "import": self.init("admin_adjustment", "admin_adjustment", "Imported")
        case "transfer_in", "transfer_out": self.init("admin_adjustment", "admin_adjustment", "Moved between accounts")
        case "repay", "repay_return": self.init("admin_adjustment", "admin_adjustment", "Debt")
        default: self.init("admin_adjustment", "admin_adjustment", "Adjustment")
        }
    }

    private init(_ type: String, _ displayType: String, _ name: String) {
        self.type = type
        self.displayType = displayType
        self.name = name
    }
}
