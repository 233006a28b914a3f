import Foundation
public import WalletClient

extension InMemoryWallet {
    /// What a wallet in memory holds and sells.
    public struct Contents: Sendable {
        /// What the user has.
        public var balance: Balance
        /// The packs and passes on sale.
        public var packs: [Pack]
        /// The classes.
        public var classes: [ClassSession]
        /// The bookings, the last one made first.
        public var bookings: [Booking]
        /// The classes that the user waits for.
        public var waitlist: [WaitlistPlace]
        /// The ledger, the newest entry first.
        public var entries: [LedgerEntry]
        /// The user's purchases, the newest first.
        public var purchases: [Purchase]
        /// The user's passes.
        public var passes: [Pass]
        /// The user's subscriptions.
        public var subscriptions: SubscriptionOverview
        /// The subscription tiers on sale.
        public var plans: [Plan]
        /// The groups of what is on sale.
        public var offerings: [Offering]

        /// Creates contents of the given parts; a balance of nil is an empty one.
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
            offerings: [Offering] = []
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
        }

        /// Returns the balance of a user who has credits and nothing else.
        /// - Parameter credits: how many.
        /// - Returns: the balance.
        public static func balance(credits: Int64) -> Balance {
            Balance(
                userID: "preview",
                appAccountToken: UUID(),
                environment: .production,
                credits: credits,
                visits: 0,
                unlimited: false,
                owedCredits: 0,
                owedVisits: 0,
                version: 0,
                asOf: Date()
            )
        }
    }
}
