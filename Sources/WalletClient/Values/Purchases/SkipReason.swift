/// Why a transaction gave the user nothing.
public struct SkipReason: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Takes any value.
    /// - Parameter rawValue: the value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Another account has it; final.
    public static let transactionAlreadyClaimed = Self(rawValue: "transaction-already-claimed")
    /// The store refunded it; final.
    public static let refunded = Self(rawValue: "refunded")
    /// It is shared by a family, which grants nothing; final.
    public static let familyShared = Self(rawValue: "family-shared")
    /// It is older than the wallet; final.
    public static let beforeCutover = Self(rawValue: "before-cutover")
    /// The service takes no sandbox purchases; final.
    public static let sandboxRefused = Self(rawValue: "sandbox-refused")
    /// It is not paid yet.
    public static let pending = Self(rawValue: "pending")
    /// The catalogue lacks the product; granted by itself once it has it.
    public static let unknownProduct = Self(rawValue: "unknown-product")
    /// The store has not named the end of the period; granted by itself once it has.
    public static let periodEndUnknown = Self(rawValue: "period-end-unknown")
    /// The account is blocked.
    public static let accountBlocked = Self(rawValue: "account-blocked")
    /// It was bought for another account on the same device.
    public static let accountTokenMismatch = Self(rawValue: "account-token-mismatch")
    /// It is a deleted account's; restore it.
    public static let released = Self(rawValue: "released")
    /// The store names no user.
    public static let unknownUser = Self(rawValue: "unknown-user")
    /// RevenueCat's virtual currency grants it.
    public static let grantedByVirtualCurrency = Self(rawValue: "granted-by-virtual-currency")
    /// The service does not take that store.
    public static let storeNotEnabled = Self(rawValue: "store-not-enabled")
    /// It cannot be read.
    public static let malformedTransaction = Self(rawValue: "malformed-transaction")
    /// Its quantity is out of range.
    public static let quantityOutOfRange = Self(rawValue: "quantity-out-of-range")
    /// Nobody has it, so there is nothing to restore.
    public static let unowned = Self(rawValue: "unowned")
    /// Another account has it.
    public static let claimed = Self(rawValue: "claimed")
}
