/// The kind of a problem: the last part of its type, such as `class-full`.
public struct ProblemSlug: OpenEnum {
    /// The value as the wallet sends it.
    public let rawValue: String

    /// Creates a value; values that this version does not define are valid.
    /// - Parameter rawValue: The value as the wallet sends it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    // `make problems` writes these constants from problems.yaml.

    /// The account is blocked.
    public static let accountBlocked = Self(rawValue: "account-blocked")
    /// The purchase was made for another account.
    public static let accountTokenMismatch = Self(rawValue: "account-token-mismatch")
    /// The class is already booked.
    public static let alreadyBooked = Self(rawValue: "already-booked")
    /// The purchase has no visits left.
    public static let alreadyConsumed = Self(rawValue: "already-consumed")
    /// The attendance is already marked.
    public static let alreadyMarked = Self(rawValue: "already-marked")
    /// Already on the waitlist.
    public static let alreadyWaiting = Self(rawValue: "already-waiting")
    /// The amount must not be zero.
    public static let amountIsZero = Self(rawValue: "amount-is-zero")
    /// The amount exceeds the maximum for one call.
    public static let amountTooLarge = Self(rawValue: "amount-too-large")
    /// The attendance cannot be marked yet.
    public static let attendanceNotOpen = Self(rawValue: "attendance-not-open")
    /// The token cannot be verified now.
    public static let authenticationUnavailable = Self(rawValue: "authentication-unavailable")
    /// Insufficient balance.
    public static let balanceTooLow = Self(rawValue: "balance-too-low")
    /// Bookings are blocked until the block ends.
    public static let bookingBlocked = Self(rawValue: "booking-blocked")
    /// The booking is cancelled.
    public static let bookingCancelled = Self(rawValue: "booking-cancelled")
    /// Booking has closed.
    public static let bookingClosed = Self(rawValue: "booking-closed")
    /// There is no such booking.
    public static let bookingNotFound = Self(rawValue: "booking-not-found")
    /// Booking has not opened yet.
    public static let bookingNotOpen = Self(rawValue: "booking-not-open")
    /// The capacity is below the number of seats sold.
    public static let capacityBelowSold = Self(rawValue: "capacity-below-sold")
    /// Check-in has closed.
    public static let checkInClosed = Self(rawValue: "check-in-closed")
    /// Check-in has not opened yet.
    public static let checkInNotOpen = Self(rawValue: "check-in-not-open")
    /// The class is cancelled or has started.
    public static let classClosed = Self(rawValue: "class-closed")
    /// A class with this id exists.
    public static let classExists = Self(rawValue: "class-exists")
    /// The class is full.
    public static let classFull = Self(rawValue: "class-full")
    /// The class would start in the past.
    public static let classInThePast = Self(rawValue: "class-in-the-past")
    /// There is no such class.
    public static let classNotFound = Self(rawValue: "class-not-found")
    /// The request conflicts with existing data.
    public static let conflict = Self(rawValue: "conflict")
    /// The operator's daily limit is reached.
    public static let dailyAmountExceeded = Self(rawValue: "daily-amount-exceeded")
    /// The wallet's database is unavailable.
    public static let databaseUnavailable = Self(rawValue: "database-unavailable")
    /// There is no such event.
    public static let eventNotFound = Self(rawValue: "event-not-found")
    /// The expiry has passed.
    public static let expiryPassed = Self(rawValue: "expiry-passed")
    /// There is no such review flag.
    public static let flagNotFound = Self(rawValue: "flag-not-found")
    /// The forecast's date is out of range.
    public static let forecastOutOfRange = Self(rawValue: "forecast-out-of-range")
    /// The freeze is too short or too long.
    public static let freezeOutOfRange = Self(rawValue: "freeze-out-of-range")
    /// The amount of a gift must be positive.
    public static let giftNotPositive = Self(rawValue: "gift-not-positive")
    /// The header fields are too large.
    public static let headersTooLarge = Self(rawValue: "headers-too-large")
    /// An Idempotency-Key is required.
    public static let idempotencyKeyMissing = Self(rawValue: "idempotency-key-missing")
    /// The Idempotency-Key was already used for a different request.
    public static let idempotencyKeyReused = Self(rawValue: "idempotency-key-reused")
    /// The balance is too low for the booking.
    public static let insufficientCredits = Self(rawValue: "insufficient-credits")
    /// Something went wrong.
    public static let internalError = Self(rawValue: "internal-error")
    /// An attendee's data is incomplete.
    public static let invalidAttendee = Self(rawValue: "invalid-attendee")
    /// The flag cannot be resolved in this way.
    public static let invalidResolution = Self(rawValue: "invalid-resolution")
    /// The values cannot be accepted.
    public static let invalidValues = Self(rawValue: "invalid-values")
    /// Bookings depend on the lot.
    public static let lotBooked = Self(rawValue: "lot-booked")
    /// The lot is frozen.
    public static let lotFrozen = Self(rawValue: "lot-frozen")
    /// There is no such lot.
    public static let lotNotFound = Self(rawValue: "lot-not-found")
    /// The lot cannot be frozen.
    public static let lotNotFreezable = Self(rawValue: "lot-not-freezable")
    /// The receipt cannot be read.
    public static let malformedReceipt = Self(rawValue: "malformed-receipt")
    /// The request cannot be understood.
    public static let malformedRequest = Self(rawValue: "malformed-request")
    /// The message was already processed.
    public static let messageAlreadyProcessed = Self(rawValue: "message-already-processed")
    /// The store's message is incomplete.
    public static let messageIncomplete = Self(rawValue: "message-incomplete")
    /// There is no such message.
    public static let messageNotFound = Self(rawValue: "message-not-found")
    /// Method not allowed.
    public static let methodNotAllowed = Self(rawValue: "method-not-allowed")
    /// There is no active subscription.
    public static let noActiveSubscription = Self(rawValue: "no-active-subscription")
    /// The proof contains no such purchase.
    public static let noPurchaseFound = Self(rawValue: "no-purchase-found")
    /// The booking cannot be cancelled.
    public static let notCancellable = Self(rawValue: "not-cancellable")
    /// The account is not eligible for the offer.
    public static let notEligible = Self(rawValue: "not-eligible")
    /// The accounts cannot be merged.
    public static let notMergeable = Self(rawValue: "not-mergeable")
    /// The service does not accept requests now.
    public static let notReady = Self(rawValue: "not-ready")
    /// The purchase grants nothing.
    public static let nothingGranted = Self(rawValue: "nothing-granted")
    /// There is no late cancellation to waive.
    public static let nothingToWaive = Self(rawValue: "nothing-to-waive")
    /// There is no such offer.
    public static let offerNotFound = Self(rawValue: "offer-not-found")
    /// There is another booking at the same time.
    public static let overlappingBooking = Self(rawValue: "overlapping-booking")
    /// The service is overloaded.
    public static let overloaded = Self(rawValue: "overloaded")
    /// The owner deleted the account.
    public static let ownerDeleted = Self(rawValue: "owner-deleted")
    /// The body is too large.
    public static let payloadTooLarge = Self(rawValue: "payload-too-large")
    /// The class does not accept this payment method.
    public static let paymentNotAccepted = Self(rawValue: "payment-not-accepted")
    /// There is no such policy.
    public static let policyNotFound = Self(rawValue: "policy-not-found")
    /// The data changed after the preview.
    public static let previewOutdated = Self(rawValue: "preview-outdated")
    /// The price has changed.
    public static let priceChanged = Self(rawValue: "price-changed")
    /// The kind and the unit of a product cannot change.
    public static let productKindFixed = Self(rawValue: "product-kind-fixed")
    /// A proof of purchase is required.
    public static let proofOfPurchaseRequired = Self(rawValue: "proof-of-purchase-required")
    /// The store's data identifies no purchase.
    public static let purchaseDataIncomplete = Self(rawValue: "purchase-data-incomplete")
    /// The store's data has values that a purchase cannot have.
    public static let purchaseDataOutOfRange = Self(rawValue: "purchase-data-out-of-range")
    /// There is no such purchase.
    public static let purchaseNotFound = Self(rawValue: "purchase-not-found")
    /// The purchase contains no visits.
    public static let purchaseWithoutVisits = Self(rawValue: "purchase-without-visits")
    /// Too many requests.
    public static let rateLimited = Self(rawValue: "rate-limited")
    /// A reason is required.
    public static let reasonRequired = Self(rawValue: "reason-required")
    /// The store rejected the receipt.
    public static let receiptRejected = Self(rawValue: "receipt-rejected")
    /// The reference was already used for a different action.
    public static let referenceReused = Self(rawValue: "reference-reused")
    /// The request took too long to arrive.
    public static let requestTimeout = Self(rawValue: "request-timeout")
    /// The operator lacks the required role.
    public static let rightMissing = Self(rawValue: "right-missing")
    /// There is no such route.
    public static let routeNotFound = Self(rawValue: "route-not-found")
    /// The class has free seats.
    public static let seatsAvailable = Self(rawValue: "seats-available")
    /// The series has no class.
    public static let seriesEmpty = Self(rawValue: "series-empty")
    /// A series with this id exists.
    public static let seriesExists = Self(rawValue: "series-exists")
    /// There is no such series.
    public static let seriesNotFound = Self(rawValue: "series-not-found")
    /// Another product already has this store id.
    public static let storeIdTaken = Self(rawValue: "store-id-taken")
    /// The class is too far ahead to be booked.
    public static let tooFarAhead = Self(rawValue: "too-far-ahead")
    /// Too many seats for one booking.
    public static let tooManySeats = Self(rawValue: "too-many-seats")
    /// The user has too many open streams.
    public static let tooManyStreams = Self(rawValue: "too-many-streams")
    /// The purchase belongs to another account.
    public static let transactionAlreadyClaimed = Self(rawValue: "transaction-already-claimed")
    /// The transfer coding is not supported.
    public static let transferCodingUnsupported = Self(rawValue: "transfer-coding-unsupported")
    /// A valid token is required.
    public static let unauthenticated = Self(rawValue: "unauthenticated")
    /// The transaction is not signed.
    public static let unsignedTransaction = Self(rawValue: "unsigned-transaction")
    /// The body has the wrong media type.
    public static let unsupportedMediaType = Self(rawValue: "unsupported-media-type")
    /// There is no such user.
    public static let userNotFound = Self(rawValue: "user-not-found")
    /// The store cannot verify the purchase now.
    public static let verificationUnavailable = Self(rawValue: "verification-unavailable")
    /// The waitlist has closed.
    public static let waitlistClosed = Self(rawValue: "waitlist-closed")
    /// The wallet is busy.
    public static let walletBusy = Self(rawValue: "wallet-busy")
    /// This store's messages are not configured.
    public static let webhookNotConfigured = Self(rawValue: "webhook-not-configured")
    /// The message's sender cannot be verified.
    public static let webhookNotProven = Self(rawValue: "webhook-not-proven")
    /// The receipt belongs to another app.
    public static let wrongApp = Self(rawValue: "wrong-app")
}
