extension StoreFact {
    /// The kind of purchase that a fact is about.
    public enum Kind: String, Codable, Hashable, Sendable {
        /// Bought once: consumable, non-consumable or non-renewing.
        case oneTime = "one_time"
        /// One period of an auto-renewing subscription.
        case subscription
    }

    /// The ownership of the user who submits a purchase.
    public enum Ownership: String, Codable, Hashable, Sendable {
        /// Paid for by that user.
        case purchased
        /// Shared by a family member who paid; it grants no credits.
        case familyShared = "family_shared"
    }

    /// The kind of subscription period that a fact is about.
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

    /// The position of a billing period in a commitment of several periods.
    public struct Commitment: Hashable, Sendable {
        /// The number of the billing period, from 1.
        public let period: Int
        /// The number of billing periods of the commitment, at most 1,000.
        public let periods: Int

        /// Creates a position; nil if the commitment has no such period.
        /// - Parameters:
        ///   - period: The number of the billing period.
        ///   - periods: The number of billing periods of the commitment.
        public init?(period: Int, of periods: Int) {
            guard (1...1_000).contains(periods), (1...periods).contains(period) else { return nil }
            self.period = period
            self.periods = periods
        }
    }

    /// The kind of change that a fact about a subscription reports.
    ///
    /// Of two facts with the same source time, the one whose occasion comes first in this list determines the flags.
    public enum Occasion: String, Codable, Hashable, Sendable {
        /// A purchase was refunded, or a refund was reversed.
        case refund
        /// The subscription ended.
        case expiration
        /// A payment failed.
        case billingIssue = "billing_issue"
        /// Renewal was turned off.
        case cancellation
        /// Renewal was turned on again.
        case uncancellation
        /// A period began, or the source reports the current status.
        case renewal
    }

    /// The source of the fact.
    public enum Source: String, Codable, Hashable, Sendable {
        /// A receipt that the store's verification endpoint confirmed.
        case receipt
        /// A transaction that the store signed and the app submitted.
        case signedTransaction = "signed_transaction"
        /// A notification that the store sent.
        case notification
        /// An answer of the store's server API.
        case serverAPI = "server_api"
    }
}
