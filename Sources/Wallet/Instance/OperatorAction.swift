public import Foundation

/// An action that an operator requests; adjustments have a separate call.
public struct OperatorAction: Decodable, Sendable, Equatable {
    /// The name of an action; each comment lists the members of ``Target`` that it needs.
    public enum Name: String, Sendable, CaseIterable {
        /// Cancels a booking for its user: `user_id`, `booking_id`, and `in_full` for a full refund.
        case cancelBooking = "cancel-booking"
        /// Refunds a late cancellation: `user_id`, `booking_id`.
        case waiveCancellation = "waive-cancellation"
        /// Releases a purchase from its owner, so that another user may restore it: `user_id`, `claim_id`.
        case releasePurchase = "release-purchase"
        /// Undoes a release: `user_id`, `claim_id`.
        case keepPurchase = "keep-purchase"
        /// Closes a review flag: `flag_id`, `resolution`.
        case resolveFlag = "resolve-flag"
        /// Applies a store's message again: `inbox_id`.
        case replayMessage = "replay-message"
        /// Sends an event again: `event_id`.
        case resendEvent = "resend-event"
        /// Adds or removes a tester, who acts on the sandbox wallet: `user_id`, `tester`.
        case setTester = "set-tester"
        /// Sends a test event to the endpoint: `user_id`.
        case sendTestEvent = "send-test-event"
        /// Creates or changes a class: `class_id`, `class`.
        case putClass = "put-class"
        /// Cancels a class and all of its bookings: `class_id`.
        case cancelClass = "cancel-class"
        /// Creates or changes a product: `product_id`, `product`.
        case putProduct = "put-product"
    }

    /// The object of an action.
    public struct Target: Sendable, Equatable {
        /// The owner of the booking, purchase or wallet; must be known to the wallet.
        public var userID: String?
        /// The environment of the user's wallet; set from the request.
        public var environment: WalletEnvironment?
        /// The booking.
        public var bookingID: UUID?
        /// A Boolean value that indicates whether the refund is full, as when the studio cancels.
        public var inFull: Bool?
        /// The purchase's id in `admin.purchases`.
        public var claimID: Int64?
        /// The flag's id in `admin.review_flags`.
        public var flagID: Int64?
        /// `dismissed` or `blocked`.
        public var resolution: String?
        /// The message's id in `admin.webhook_inbox`.
        public var inboxID: Int64?
        /// The event's id in `admin.outbox`.
        public var eventID: Int64?
        /// A Boolean value that indicates whether the user becomes a tester.
        public var tester: Bool?
        /// The studio's id of the class.
        public var classID: String?
        /// The new definition of the class.
        public var classDefinition: ClassDefinition?
        /// The catalogue's id of the product.
        public var productID: String?
        /// The new definition of the product.
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
            /// The new definition of the class or the product, as the database expects it.
            case definition
        }
    }

    /// The object of the action.
    public var target: Target
    /// The reason, for the audit: 1 to 500 characters.
    public var reason: String

    /// Decodes a request, which contains the members of the target and the reason.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for members that are missing or of the wrong type.
    public init(from decoder: any Decoder) throws {
        self.target = try Target(from: decoder)
        self.reason = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .reason)
    }

    enum CodingKeys: CodingKey {
        case reason
    }
}

/// The changes that an operator's action made or would make.
public struct OperatorActionAnswer: Encodable, Sendable, Equatable {
    /// The action's row in `admin.audit`; `nil` for a dry run, and if no change was necessary.
    @Nullable public var auditID: Int64?
    /// A Boolean value that indicates whether this was a dry run, which writes nothing.
    public var dryRun: Bool
    /// The changed members before the action.
    public var before: JSONValue
    /// The same members after the action.
    public var after: JSONValue
    /// The preview of a dry run, which the client sends back to confirm; `nil` if the action was done now or before.
    @Nullable public var preview: String?
    /// A Boolean value that indicates whether this call changed nothing, because the key had done the same before or
    /// because no change was necessary.
    public var replayed: Bool

    enum CodingKeys: String, CodingKey {
        case auditID = "audit_id"
        case dryRun = "dry_run"
        case before, after, preview
    }
}
