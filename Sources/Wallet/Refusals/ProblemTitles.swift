import Metrics

/// The titles of the problem types, by slug; all occurrences of a problem have the same title.
///
/// A slug that is not in the table, for example from a newer database, gets the title of its status.
public enum ProblemTitles {
    /// The titles by slug.
    public static let table: [String: String] = [
        "account-blocked": "The account is blocked",
        "account-token-mismatch": "The purchase was made for another account",
        "already-booked": "The class is already booked",
        "already-consumed": "The purchase has no visits left",
        "already-waiting": "Already on the waitlist",
        "amount-is-zero": "The amount must not be zero",
        "amount-too-large": "The amount exceeds the maximum for one call",
        "authentication-unavailable": "The token cannot be verified now",
        "balance-too-low": "Insufficient balance",
        "booking-closed": "Booking has closed",
        "booking-not-found": "There is no such booking",
        "booking-not-open": "Booking has not opened yet",
        "capacity-below-sold": "The capacity is below the number of seats sold",
        "class-closed": "The class is cancelled or has started",
        "class-full": "The class is full",
        "class-in-the-past": "The class would start in the past",
        "class-not-found": "There is no such class",
        "conflict": "The request conflicts with existing data",
        "daily-amount-exceeded": "The operator's daily limit is reached",
        "database-unavailable": "The wallet's database is unavailable",
        "event-already-processed": "The message was already processed",
        "event-incomplete": "The store's message is incomplete",
        "event-not-found": "There is no such message or event",
        "expiry-passed": "The expiry has passed",
        "fact-incomplete": "The store's data identifies no purchase",
        "fact-out-of-range": "The store's data has values that a purchase cannot have",
        "flag-not-found": "There is no such review flag",
        "forecast-out-of-range": "The forecast's date is out of range",
        "gift-not-positive": "The amount of a gift must be positive",
        "headers-too-large": "The header fields are too large",
        "idempotency-key-missing": "An Idempotency-Key is required",
        "idempotency-key-reused": "The Idempotency-Key was already used for a different request",
        "insufficient-credits": "The balance is too low for the booking",
        "internal-error": "Something went wrong",
        "invalid-attendee": "An attendee's data is incomplete",
        "malformed-receipt": "The receipt cannot be read",
        "malformed-request": "The request cannot be understood",
        "method-not-allowed": "Method not allowed",
        "no-active-subscription": "There is no active subscription",
        "no-purchase-found": "The proof contains no such purchase",
        "not-a-pass": "The purchase contains no visits",
        "not-acceptable": "The values cannot be accepted",
        "not-cancellable": "The booking cannot be cancelled",
        "not-eligible": "The account is not eligible for the offer",
        "not-mergeable": "The accounts cannot be merged",
        "not-ready": "The service does not accept requests now",
        "nothing-granted": "The purchase grants nothing",
        "nothing-to-waive": "There is no late cancellation to waive",
        "offer-not-found": "There is no such offer",
        "overlapping-booking": "There is another booking at the same time",
        "overloaded": "The service is overloaded",
        "owner-deleted": "The owner deleted the account",
        "payload-too-large": "The body is too large",
        "payment-not-accepted": "The class does not accept this payment method",
        "preview-outdated": "The data changed after the preview",
        "price-changed": "The price has changed",
        "product-kind-fixed": "The kind and the unit of a product cannot change",
        "proof-of-purchase-required": "A proof of purchase is required",
        "purchase-not-found": "There is no such purchase",
        "rate-limited": "Too many requests",
        "reason-required": "A reason is required",
        "receipt-rejected": "The store rejected the receipt",
        "reference-reused": "The reference was already used for a different action",
        "request-timeout": "The request took too long to arrive",
        "resolution-not-possible": "The flag cannot be resolved in this way",
        "right-missing": "The operator lacks the required role",
        "route-not-found": "There is no such route",
        "seats-available": "The class has free seats",
        "store-id-taken": "Another product already has this store id",
        "too-far-ahead": "The class is too far ahead to be booked",
        "too-many-seats": "Too many seats for one booking",
        "too-many-streams": "The user has too many open streams",
        "transaction-already-claimed": "The purchase belongs to another account",
        "transfer-coding-unsupported": "The transfer coding is not supported",
        "unauthenticated": "A valid token is required",
        "unsigned-transaction": "The transaction is not signed",
        "unsupported-media-type": "The body has the wrong media type",
        "user-not-found": "There is no such user",
        "verification-unavailable": "The store cannot verify the purchase now",
        "waitlist-closed": "The waitlist has closed",
        "wallet-busy": "The wallet is busy",
        "webhook-not-configured": "This store's messages are not configured",
        "webhook-not-proven": "The message's sender cannot be verified",
        "wrong-app": "The receipt belongs to another app",
    ]

    /// Returns the title of a slug.
    package static func title(of slug: String, status: Int) -> String {
        if let title = Self.table[slug] { return title }
        switch status {
        case 400..<500: return "The request was refused"
        default: return "Something went wrong"
        }
    }
}

/// Counts refusals and failures by their slugs.
package struct RefusalMetrics: Sendable {
    /// The counters of the slugs in the table; all other slugs count as `other`.
    private let counters: [String: Counter]
    private let others: Counter

    /// Creates the counters of the current wallet.
    package init() {
        self.counters = Dictionary(
            uniqueKeysWithValues: ProblemTitles.table.keys.map { slug in (slug, Self.counter(slug)) }
        )
        self.others = Self.counter("other")
    }

    /// Counts a refusal or failure.
    package func note(_ slug: String) {
        (self.counters[slug] ?? self.others).increment()
    }

    private static func counter(_ slug: String) -> Counter {
        Counter(label: "wallet_refusals_total", dimensions: [("slug", slug)])
    }
}
