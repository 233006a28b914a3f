public import Foundation

/// What an operator asks for beside adjustments, which have a call of their own.
public struct OperatorAction: Decodable, Sendable, Equatable {
    /// What is to be done, and which members of ``Target`` say to what.
    public enum Name: String, Sendable, CaseIterable {
        /// Cancels a booking for its user: `user_id`, `booking_id`, and `in_full` for all of it to return.
        case cancelBooking = "cancel-booking"
        /// Returns what a late cancellation kept: `user_id`, `booking_id`.
        case waiveCancellation = "waive-cancellation"
        /// Takes a purchase from its owner, so that another user may restore it: `user_id`, `claim_id`.
        case releasePurchase = "release-purchase"
        /// Takes a release back: `user_id`, `claim_id`.
        case keepPurchase = "keep-purchase"
        /// Closes a review flag: `flag_id`, `resolution`.
        case resolveFlag = "resolve-flag"
        /// Has a store's message carried out again: `inbox_id`.
        case replayMessage = "replay-message"
        /// Sends an event again: `event_id`.
        case resendEvent = "resend-event"
        /// Has a user act on the sandbox wallet, or no more: `user_id`, `tester`.
        case setTester = "set-tester"
        /// Sends an event of no meaning to the endpoint: `user_id`.
        case sendTestEvent = "send-test-event"
        /// Makes or changes a class: `class_id`, `class`.
        case putClass = "put-class"
        /// Cancels a class for everybody: `class_id`.
        case cancelClass = "cancel-class"
        /// Makes or changes a product: `product_id`, `product`.
        case putProduct = "put-product"
    }

    /// What an action is done to.
    public struct Target: Sendable, Equatable {
        /// Whose booking, purchase or wallet; the wallet must know the user.
        public var userID: String?
        /// Which of the user's wallets; set from the request.
        public var environment: WalletEnvironment?
        /// The booking.
        public var bookingID: UUID?
        /// Whether all returns, as when the studio cancels.
        public var inFull: Bool?
        /// The purchase, as `admin.purchases` names it.
        public var claimID: Int64?
        /// The flag, as `admin.review_flags` names it.
        public var flagID: Int64?
        /// `dismissed` or `blocked`.
        public var resolution: String?
        /// The message, as `admin.webhook_inbox` names it.
        public var inboxID: Int64?
        /// The event, as `admin.outbox` names it.
        public var eventID: Int64?
        /// Whether the user is to be a tester.
        public var tester: Bool?
        /// The class, as the studio names it.
        public var classID: String?
        /// What the class is to be.
        public var classDefinition: ClassDefinition?
        /// The product, as the catalogue names it.
        public var productID: String?
        /// What the product is to be.
        public var product: ProductDefinition?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.userID = try container.decodeIfPresent(String.self, forKey: .userID)
            self.environment = try container.decodeIfPresent(WalletEnvironment.self, forKey: .environment)
            self.bookingID = try container.decodeIfPresent(UUID.self, forKey: .bookingID)
            self.inFull = try container.decodeIfPresent(Bool.self, forKey: .inFull)
            self.claimID = try container.decodeIfPresent(Int64.self, forKey: .claimID)
            self.flagID = try container.decodeIfPresent(Int64.self, forKey: .flagID)
            self.resolution = try container.decodeIfPresent(String.self, forKey: .resolution)
            self.inboxID = try container.decodeIfPresent(Int64.self, forKey: .inboxID)
            self.eventID = try container.decodeIfPresent(Int64.self, forKey: .eventID)
            self.tester = try container.decodeIfPresent(Bool.self, forKey: .tester)
            self.classID = try container.decodeIfPresent(String.self, forKey: .classID)
            self.classDefinition = try container.decodeIfPresent(ClassDefinition.self, forKey: .classDefinition)
            self.productID = try container.decodeIfPresent(String.self, forKey: .productID)
            self.product = try container.decodeIfPresent(ProductDefinition.self, forKey: .product)
        }

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case environment
            case bookingID = "booking_id"
            case inFull = "in_full"
            case claimID = "claim_id"
            case flagID = "flag_id"
            case resolution
            case inboxID = "inbox_id"
            case eventID = "event_id"
            case tester
            case classID = "class_id"
            case classDefinition = "class"
            case productID = "product_id"
            case product
            /// What the class or the product is to be, for the database.
            case definition
        }
    }

    /// What it is done to.
    public var target: Target
    /// Why, for the audit: 1 to 500 characters.
    public var reason: String

    /// Reads what is sent: the members of the target, and the reason beside them.
    ///
    /// - Parameter decoder: Where to read from.
    /// - Throws: `DecodingError` for members that are missing or of the wrong type.
    public init(from decoder: any Decoder) throws {
        self.target = try Target(from: decoder)
        self.reason = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .reason)
    }

    enum CodingKeys: CodingKey {
        case reason
    }
}

/// What an action of an operator changed, or would change.
public struct OperatorActionAnswer: Encodable, Sendable, Equatable {
    /// The action's row in `admin.audit`; nil for a dry run, and for what was as asked for already.
    @Nullable public var auditID: Int64?
    /// Whether nothing was written.
    public var dryRun: Bool
    /// The members that changed, as they were.
    public var before: JSONValue
    /// The same members afterwards.
    public var after: JSONValue
    /// What a dry run's confirmation sends back; nil for what is done, and for what was done before.
    @Nullable public var preview: String?
    /// Whether nothing was done this time: the key did the same before, or all was as asked for.
    public var replayed: Bool

    enum CodingKeys: String, CodingKey {
        case auditID = "audit_id"
        case dryRun = "dry_run"
        case before, after, preview
    }
}
