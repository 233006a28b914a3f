/// The reason why the user received nothing for a transaction.
public struct SkipReason: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The purchase belongs to another account; final.
    public static let transactionAlreadyClaimed = Self(rawValue: "transaction-already-claimed")
    /// The store refunded the purchase; final.
    public static let refunded = Self(rawValue: "refunded")
    /// The purchase is shared by a family member, and shared purchases grant nothing; final.
    public static let familyShared = Self(rawValue: "family-shared")
    /// The purchase was made before the date from which the wallet grants this store's purchases; final.
    public static let beforeCutOver = Self(rawValue: "before-cut-over")
    /// The service does not accept this user's sandbox purchases; final.
    public static let sandboxRefused = Self(rawValue: "sandbox-refused")
    /// The purchase is not paid yet.
    public static let pending = Self(rawValue: "pending")
    /// The catalogue does not contain the product; the wallet grants the purchase when it does.
    public static let unknownProduct = Self(rawValue: "unknown-product")
    /// The store has not reported the end of the period; the wallet grants the purchase when it does.
    public static let periodEndUnknown = Self(rawValue: "period-end-unknown")
    /// The account is blocked.
    public static let accountBlocked = Self(rawValue: "account-blocked")
    /// The purchase was made for another account on the same device.
    public static let accountTokenMismatch = Self(rawValue: "account-token-mismatch")
    /// The purchase belongs to a deleted account; the user can restore it.
    public static let released = Self(rawValue: "released")
    /// The store's data identifies no user.
    public static let unknownUser = Self(rawValue: "unknown-user")
    /// RevenueCat grants the product with its virtual currency.
    public static let grantedByVirtualCurrency = Self(rawValue: "granted-by-virtual-currency")
    /// The service does not accept purchases of this store.
    public static let storeNotEnabled = Self(rawValue: "store-not-enabled")
    /// The service cannot read the transaction.
    public static let malformedTransaction = Self(rawValue: "malformed-transaction")
    /// The quantity is out of range.
    public static let quantityOutOfRange = Self(rawValue: "quantity-out-of-range")
    /// The purchase belongs to no account, so there is nothing to restore.
    public static let unowned = Self(rawValue: "unowned")
    /// The purchase belongs to another account.
    public static let claimed = Self(rawValue: "claimed")
}
