public import Foundation
public import JSON
import Postgres

extension Wallet {
    /// Carries out an operator's action, once per key, or reports its changes in a dry run.
    ///
    /// SQL: `functions/operations/operator_act.sql`.
    ///
    /// - Parameters:
    ///   - name: The name of the action.
    ///   - action: The object of the action, and the reason.
    ///   - actor: The operator.
    ///   - key: The request's Idempotency-Key, 1 to 200 characters, which is the reference in the audit; `nil` for
    ///     none.
    ///   - environment: The environment of the user's wallet.
    ///   - dryRun: A Boolean value that indicates whether to undo the action after its changes are known.
    ///   - shown: The preview from a dry run; if anything differs from it, nothing is done. `nil` acts on any state.
    /// - Returns: The changes.
    /// - Throws: ``WalletError`` 400 `malformed-request` if a member is missing, 403 `right-missing`, 404
    ///   `user-not-found`, `booking-not-found`, `purchase-not-found`, `flag-not-found` or `event-not-found`, 409
    ///   `not-cancellable`, `nothing-to-waive`, `owner-deleted`, `event-already-processed` or `reference-reused`, 412
    ///   `preview-outdated`, 422 `resolution-not-possible`, 503 `wallet-busy`, or when the database does not answer.
    public func act(
        _ name: OperatorAction.Name,
        _ action: OperatorAction,
        by actor: OperatorIdentity,
        key: String?,
        in environment: WalletEnvironment,
        dryRun: Bool,
        shown: String? = nil
    ) async throws -> OperatorActionAnswer {
        var target = action.target
        target.environment = environment
        return try await self.queryOne(
            """
            SELECT a.audit_id, a.replayed, a.before, a.after, a.preview FROM wallet.operator_act(
                \(name.rawValue), \(json: target), \(actor.id.rawValue), \(action.reason), \(key), \(dryRun),
                \(actor.right.rawValue)::wallet.operator_right, \(shown)
            ) AS a
            """
        ) { row in
            OperatorActionAnswer(
                auditID: try row.decode("audit_id"),
                dryRun: dryRun,
                before: try row.decodeJSON("before"),
                after: try row.decodeJSON("after"),
                preview: dryRun ? try row.decode("preview") : nil,
                replayed: try row.decode("replayed")
            )
        }
    }
}

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
    public init(from decoder: any Decoder) throws {
        self.target = try Target(from: decoder)
        self.reason = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .reason)
    }

    enum CodingKeys: CodingKey {
        case reason
    }
}

/// The target, encoded as `wallet.operator_act` expects it.
extension OperatorAction.Target: Encodable {
    /// Encodes the members that have a value; a class or a product is encoded as its columns.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(self.userID, forKey: .userID)
        try container.encodeIfPresent(self.environment, forKey: .environment)
        try container.encodeIfPresent(self.bookingID, forKey: .bookingID)
        try container.encodeIfPresent(self.inFull, forKey: .inFull)
        try container.encodeIfPresent(self.claimID, forKey: .claimID)
        try container.encodeIfPresent(self.flagID, forKey: .flagID)
        try container.encodeIfPresent(self.resolution, forKey: .resolution)
        try container.encodeIfPresent(self.inboxID, forKey: .inboxID)
        try container.encodeIfPresent(self.eventID, forKey: .eventID)
        try container.encodeIfPresent(self.tester, forKey: .tester)
        try container.encodeIfPresent(self.classID, forKey: .classID)
        try container.encodeIfPresent(self.productID, forKey: .productID)
        try container.encodeIfPresent(self.classDefinition.map(ClassColumns.init), forKey: .definition)
        try container.encodeIfPresent(self.product.map(ProductColumns.init), forKey: .definition)
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
