/// The short, unchanging name of each problem type, by its slug.
///
/// Slugs that the database invents later still answer: they get their status's own phrase.
enum ProblemTitles {
    static let table: [String: String] = [
        "account-blocked": "The account is blocked",
        "account-token-mismatch": "The purchase was made for another account",
        "already-booked": "The class is booked already",
        "authentication-unavailable": "The token cannot be checked now",
        "booking-not-found": "There is no such booking",
        "capacity-below-sold": "More seats have been sold",
        "class-closed": "The class takes no bookings",
        "class-full": "The class is full",
        "class-not-found": "There is no such class",
        "conflict": "The request contradicts what is there",
        "database-unavailable": "The wallet cannot be reached now",
        "event-incomplete": "The store's message names no purchase",
        "event-not-found": "There is no such message",
        "fact-incomplete": "The store's word names no purchase",
        "idempotency-key-missing": "An Idempotency-Key is required",
        "idempotency-key-reused": "The Idempotency-Key stands for another request",
        "insufficient-credits": "The wallet holds too little",
        "internal-error": "Something went wrong",
        "invalid-attendee": "An attendee lacks something",
        "malformed-receipt": "The receipt cannot be read",
        "malformed-request": "The request cannot be understood",
        "method-not-allowed": "The path does not have this method",
        "no-active-subscription": "There is no active subscription",
        "no-purchase-found": "The proof holds no such purchase",
        "not-acceptable": "The values cannot be accepted",
        "not-cancellable": "The booking cannot be cancelled",
        "not-eligible": "The offer is not for this account",
        "not-mergeable": "The accounts cannot be merged",
        "not-ready": "The service does not take requests now",
        "nothing-granted": "The purchase gives nothing",
        "offer-not-found": "There is no such offer",
        "overloaded": "The service is overloaded",
        "payload-too-large": "The body is too large",
        "payment-not-accepted": "The class cannot be paid in this way",
        "price-changed": "The price has changed",
        "proof-of-purchase-required": "A proof of purchase is required",
        "purchase-not-found": "There is no such purchase",
        "rate-limited": "Too many requests",
        "receipt-rejected": "The store rejects the receipt",
        "route-not-found": "There is no such route",
        "transaction-already-claimed": "The purchase belongs to another account",
        "unauthenticated": "A valid token is required",
        "unsigned-transaction": "The transaction is not signed",
        "unsupported-media-type": "The body has the wrong media type",
        "user-id-ambiguous": "The user cannot be told from another",
        "verification-unavailable": "The store cannot be asked now",
        "wallet-busy": "The wallet is busy",
        "webhook-not-configured": "The store's messages are not taken",
        "webhook-not-proven": "The message is not proven",
        "wrong-app": "The receipt is another app's",
    ]

    static func title(of slug: String, status: Int) -> String {
        if let title = Self.table[slug] { return title }
        switch status {
        case 400..<500: return "The request is refused"
        default: return "Something went wrong"
        }
    }
}
