extension StoreFact {
    /// What sort of purchase a fact is about.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// Bought once: consumable, non-consumable or non-renewing.
        case oneTime = "one_time"
        /// One period of an auto-renewing subscription.
        case subscription
    }

    /// How the person who submits a purchase came by it.
    public enum Ownership: String, Codable, Hashable, Sendable {
        /// Paid for by that person.
        case purchased
        /// Shared by a family member who paid; it grants no credits.
        case familyShared = "family_shared"
    }

    /// What sort of period of a subscription a fact is about.
    public enum PeriodType: String, Codable, Hashable, Sendable {
        /// A period at the full price.
        case normal
        /// A free trial.
        case trial
        /// An introductory price.
        case intro
        /// A promotional offer.
        case promotional
        /// A prepaid plan, which does not renew.
        case prepaid
    }

    /// The place of a billing period in a commitment that is longer than the period.
    public struct Commitment: Hashable, Sendable {
        /// The number of the billing period, from 1.
        public let period: Int
        /// The number of billing periods of the commitment, 1,000 at most.
        public let periods: Int

        /// Creates a place; nil for a period that the commitment does not have.
        /// - Parameters:
        ///   - period: The number of the billing period.
        ///   - periods: The number of billing periods of the commitment.
        public init?(period: Int, of periods: Int) {
            guard (1...1_000).contains(periods), (1...periods).contains(period) else { return nil }
            self.period = period
            self.periods = periods
        }
    }

    /// What kind of change a fact about a subscription reports.
    ///
    /// Of two facts with the same source time the one further up in this list decides the flags.
    public enum Occasion: String, Codable, Hashable, Sendable {
        /// Money was given back, or a refund was undone.
        case refund
        /// The subscription ended.
        case expiration
        /// A payment failed.
        case billingIssue = "billing_issue"
        /// Renewal was turned off.
        case cancellation
        /// Renewal was turned on again.
        case uncancellation
        /// A period began, or the source says how things stand.
        case renewal
    }

    /// Who reported the fact.
    public enum Source: String, Codable, Hashable, Sendable {
        /// A receipt that the store's verification endpoint answered for.
        case receipt
        /// A transaction signed by the store and brought by the app.
        case signedTransaction = "signed_transaction"
        /// A notification that the store sent.
        case notification
        /// An answer of the store's server API.
        case serverAPI = "server_api"
    }
}
