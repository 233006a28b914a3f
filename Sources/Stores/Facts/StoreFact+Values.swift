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
