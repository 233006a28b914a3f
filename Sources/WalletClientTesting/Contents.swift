import Foundation
public import WalletClient

extension InMemoryWallet {
    /// The contents of a wallet in memory: the user's data, the catalogue and the classes.
    public struct Contents: Sendable {
        /// The user's balance.
        public var balance: Balance
        /// The packs and passes on sale.
        public var packs: [Pack]
        /// The classes.
        public var classes: [ClassSession]
        /// The user's bookings, newest first.
        public var bookings: [Booking]
        /// The user's waitlist places.
        public var waitlist: [WaitlistPlace]
        /// The ledger, newest entry first.
        public var entries: [LedgerEntry]
        /// The user's purchases, newest first.
        public var purchases: [Purchase]
        /// The user's passes.
        public var passes: [Pass]
        /// The user's subscriptions.
        public var subscriptions: SubscriptionOverview
        /// The subscription tiers on sale.
        public var plans: [Plan]
        /// The groups of products on sale.
        public var offerings: [Offering]
        /// The policies of the classes.
        public var policies: [Policy]

        /// Creates contents with the given parts; a nil balance creates an empty one.
        public init(
            balance: Balance? = nil,
            packs: [Pack] = [],
            classes: [ClassSession] = [],
            bookings: [Booking] = [],
            waitlist: [WaitlistPlace] = [],
            entries: [LedgerEntry] = [],
            purchases: [Purchase] = [],
            passes: [Pass] = [],
            subscriptions: SubscriptionOverview = SubscriptionOverview(),
            plans: [Plan] = [],
            offerings: [Offering] = [],
            policies: [Policy] = []
        ) {
            self.balance = balance ?? Self.balance(credits: 0)
            self.packs = packs
            self.classes = classes
            self.bookings = bookings
            self.waitlist = waitlist
            self.entries = entries
            self.purchases = purchases
            self.passes = passes
            self.subscriptions = subscriptions
            self.plans = plans
            self.offerings = offerings
            self.policies = policies
        }

        /// Returns the balance of a user who has only credits.
        /// - Parameter credits: The number of credits.
        /// - Returns: The balance.
        public static func balance(credits: Int64) -> Balance {
            Balance(
                userID: "preview",
                appAccountToken: UUID(),
                environment: .production,
                credits: credits,
                visits: 0,
                isUnlimited: false,
                owedCredits: 0,
                owedVisits: 0,
                version: 0,
                asOf: Date()
            )
        }
    }
}

extension InMemoryWallet.Contents {
    /// Changes the credits and adds an entry to the ledger.
    mutating func post(_ kind: LedgerEntryKind, _ amount: Int64, booking: UUID? = nil, transaction: String? = nil) {
        self.balance.credits += amount
        self.balance.version += 1
        self.balance.asOf = Date()
        self.entries.insert(
            LedgerEntry(
                version: self.balance.version,
                at: self.balance.asOf,
                kind: kind,
                unit: .credit,
                amount: amount,
                balanceAfter: self.balance.credits,
                bookingID: booking,
                transactionID: transaction,
                hash: String(repeating: "0", count: 64)
            ),
            at: 0
        )
    }
}
