public import Foundation
public import JSON
import Postgres

extension Wallet {
    /// Performs an action of operators for a body that a form or a client filled in.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - body: The body of the request to the action's route.
    ///   - change: The operator, and the circumstances of the change.
    ///   - limits: The maximum amounts of adjustments.
    /// - Returns: The result, as the action's route returns it.
    /// - Throws: The errors of ``adjust(_:_:limits:)``, ``compensate(_:_:_:limits:)`` or ``act(_:_:_:)``.
    package func perform(
        _ action: ActionDescription,
        _ body: JSONValue,
        _ change: OperatorChange,
        limits: OperatorLimits
    ) async throws -> JSONValue {
        let body = Data(body.jsonText.utf8)
        guard !action.isAdjustment else {
            return try WireJSON.json(of: try await self.adjust(try WireJSON.decode(from: body), change, limits: limits))
        }
        guard !action.isCompensation else {
            return try WireJSON.json(
                of: try await self.compensate(try WireJSON.decode(from: body), action, change, limits: limits)
            )
        }
        return try WireJSON.json(of: try await self.act(action, try WireJSON.decode(from: body), change))
    }

    /// Checks an action, and carries it out once per key, or reports its changes in a dry run.
    ///
    /// SQL: `functions/operations/operator_act.sql`.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - request: The object of the action, and the reason.
    ///   - change: The operator, and the circumstances of the change; the key is the reference in the audit.
    /// - Returns: The changes.
    /// - Throws: ``WalletError`` 400 `malformed-request` for a missing or invalid member, 403 `right-missing`, 404
    ///   `user-not-found`, `booking-not-found`, `purchase-not-found`, `lot-not-found`, `flag-not-found`,
    ///   `message-not-found`, `event-not-found`, `policy-not-found` or `series-not-found`, 409 `class-exists`,
    ///   `series-exists`, `not-cancellable`, `nothing-to-waive`, `owner-deleted`, `lot-not-freezable`, `lot-frozen`,
    ///   `lot-booked`, `message-already-processed` or `reference-reused`, 412 `preview-outdated`, 422
    ///   `invalid-resolution`, `freeze-out-of-range` or `series-empty`, 503 `wallet-busy`, or when the database does
    ///   not answer.
    package func act(
        _ action: ActionDescription,
        _ request: OperatorAction,
        _ change: OperatorChange
    ) async throws -> OperatorActionResult {
        var target = try request.checked(for: action, in: change.environment).target
        target.environment = change.environment
        return try await self.queryOne(
            """
            SELECT a.audit_id, a.replayed, a.before, a.after, a.preview FROM wallet.operator_act(
                \(action.operation), \(json: target), \(change.actor.id.rawValue), \(request.reason), \(change.key),
                \(change.dryRun), \(change.actor.right.rawValue)::wallet.operator_right, \(change.preview)
            ) AS a
            """
        ) { row in
            OperatorActionResult(
                auditID: try row.decode("audit_id"),
                dryRun: change.dryRun,
                before: try row.decodeJSON("before"),
                after: try row.decodeJSON("after"),
                preview: change.dryRun ? try row.decode("preview") : nil,
                replayed: try row.decode("replayed")
            )
        }
    }
}

/// A change that an operator requests: the actor, the wallet's environment, and whether the change is tried or
/// confirmed.
package struct OperatorChange: Sendable {
    /// The operator.
    package var actor: OperatorIdentity
    /// The environment of the user's wallet.
    package var environment: WalletEnvironment
    /// The Idempotency-Key, 1 to 200 characters; `nil` for none.
    package var key: String?
    /// A Boolean value that indicates whether to undo the change after its result is known.
    package var dryRun: Bool
    /// The preview from a dry run; `nil` acts on any state, another value only on the previewed one.
    package var preview: String?

    /// Creates a change.
    package init(
        actor: OperatorIdentity,
        environment: WalletEnvironment,
        key: String?,
        dryRun: Bool,
        preview: String? = nil
    ) {
        self.actor = actor
        self.environment = environment
        self.key = key
        self.dryRun = dryRun
        self.preview = preview
    }
}

/// The maximum amounts that operators may add and deduct.
public struct OperatorLimits: Sendable {
    /// The maximum amount of one adjustment.
    public var maximumAmount: Int
    /// The maximum total of one operator's adjustments in one day (UTC).
    public var dailyAmount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - maximumAmount: The maximum amount of one adjustment.
    ///   - dailyAmount: The maximum total of one operator's adjustments in one day (UTC).
    public init(maximumAmount: Int = 1_000, dailyAmount: Int = 20_000) {
        self.maximumAmount = maximumAmount
        self.dailyAmount = dailyAmount
    }
}

/// An action that an operator requests; adjustments have a separate call.
public struct OperatorAction: Decodable, Sendable, Equatable {
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
        /// The lot's id in `admin.lots`.
        public var lotID: UUID?
        /// The start of a freeze.
        public var from: Date?
        /// The end of a freeze.
        public var until: Date?
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
        /// The new name of the user, where `nil` removes the name, or the name of a holiday.
        public var name: String?
        /// The new email address of the user; `nil` removes it.
        public var email: String?
        /// The studio's id of the class.
        public var classID: String?
        /// The new definition of the class.
        public var classDefinition: ClassDefinition?
        /// The studio's id of the series.
        public var seriesID: String?
        /// The new definition of the series.
        public var seriesDefinition: SeriesDefinition?
        /// A Boolean value that indicates whether to refuse the id of an existing class or series.
        public var isNew: Bool?
        /// The first day without a class of the series.
        public var fromDate: CalendarDay?
        /// The day of the holiday.
        public var onDate: CalendarDay?
        /// The catalogue's id of the product.
        public var productID: String?
        /// The new definition of the product.
        public var product: ProductDefinition?
        /// The bookings whose attendance is marked.
        public var bookingIDs: [UUID]?
        /// `attended`, `no_show`, `excused` or `unmarked`.
        public var attendance: String?
        /// The studio's id of the policy.
        public var policyID: String?
        /// The new definition of the policy.
        public var policy: PolicyDefinition?
        /// The names of the members that the request sent.
        private(set) var members: Set<String>

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.members = Set(try container.allKeys.filter { try !container.decodeNil(forKey: $0) }.map(\.rawValue))
            self.userID = try container.decodeIfPresent(String.self, forKey: .userID)
            self.environment = try container.decodeIfPresent(WalletEnvironment.self, forKey: .environment)
            self.bookingID = try container.decodeIfPresent(UUID.self, forKey: .bookingID)
            self.inFull = try container.decodeIfPresent(Bool.self, forKey: .inFull)
            self.claimID = try container.decodeIfPresent(Int64.self, forKey: .claimID)
            self.lotID = try container.decodeIfPresent(UUID.self, forKey: .lotID)
            self.from = try container.decodeIfPresent(Date.self, forKey: .from)
            self.until = try container.decodeIfPresent(Date.self, forKey: .until)
            self.flagID = try container.decodeIfPresent(Int64.self, forKey: .flagID)
            self.resolution = try container.decodeIfPresent(String.self, forKey: .resolution)
            self.inboxID = try container.decodeIfPresent(Int64.self, forKey: .inboxID)
            self.eventID = try container.decodeIfPresent(Int64.self, forKey: .eventID)
            self.tester = try container.decodeIfPresent(Bool.self, forKey: .tester)
            self.name = try container.decodeIfPresent(String.self, forKey: .name)
            self.email = try container.decodeIfPresent(String.self, forKey: .email)
            self.classID = try container.decodeIfPresent(String.self, forKey: .classID)
            self.classDefinition = try container.decodeIfPresent(ClassDefinition.self, forKey: .classDefinition)
            self.seriesID = try container.decodeIfPresent(String.self, forKey: .seriesID)
            self.seriesDefinition = try container.decodeIfPresent(SeriesDefinition.self, forKey: .seriesDefinition)
            self.isNew = try container.decodeIfPresent(Bool.self, forKey: .isNew)
            self.fromDate = try container.decodeIfPresent(CalendarDay.self, forKey: .fromDate)
            self.onDate = try container.decodeIfPresent(CalendarDay.self, forKey: .onDate)
            self.productID = try container.decodeIfPresent(String.self, forKey: .productID)
            self.product = try container.decodeIfPresent(ProductDefinition.self, forKey: .product)
            self.bookingIDs = try container.decodeIfPresent([UUID].self, forKey: .bookingIDs)
            self.attendance = try container.decodeIfPresent(String.self, forKey: .attendance)
            self.policyID = try container.decodeIfPresent(String.self, forKey: .policyID)
            self.policy = try container.decodeIfPresent(PolicyDefinition.self, forKey: .policy)
        }

        /// Sets the user, for a request that names the user in its path.
        package mutating func set(user: String) {
            self.userID = user
            self.members.insert(CodingKeys.userID.rawValue)
        }

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case environment
            case bookingID = "booking_id"
            case inFull = "in_full"
            case claimID = "claim_id"
            case lotID = "lot_id"
            case from, until
            case flagID = "flag_id"
            case resolution
            case inboxID = "inbox_id"
            case eventID = "event_id"
            case tester, name, email
            case classID = "class_id"
            case classDefinition = "class"
            case seriesID = "series_id"
            case seriesDefinition = "series"
            case isNew = "is_new"
            case fromDate = "from_date"
            case onDate = "on_date"
            case productID = "product_id"
            case product
            case bookingIDs = "booking_ids"
            case attendance
            case policyID = "policy_id"
            case policy
            /// The new definition of the class, the product, the series or the policy, as the database expects it.
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

extension OperatorAction {
    /// Refuses an action with missing or invalid members.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - environment: The request's environment; a body that names another environment is refused.
    /// - Returns: The action.
    /// - Throws: ``WalletError`` 400 `malformed-request`.
    package func checked(
        for action: ActionDescription,
        in environment: WalletEnvironment
    ) throws -> OperatorAction {
        guard self.target.environment ?? environment == environment else {
            throw WalletError.member(
                "environment",
                "must match Wallet-Environment (production if absent)",
                self.target.environment.map { Received($0.rawValue) }
            )
        }
        for member in action.target where !self.target.members.contains(member) {
            throw WalletError.malformed("The member \"\(member)\" is required.")
        }
        if let user = self.target.userID { try OperatorText.check(user, "user_id", upTo: 320) }
        if let resolution = self.target.resolution, !["dismissed", "blocked"].contains(resolution) {
            throw WalletError.member("resolution", "must be dismissed or blocked", Received(resolution))
        }
        if let attendance = self.target.attendance,
            !["attended", "no_show", "excused", "unmarked"].contains(attendance)
        {
            throw WalletError.member(
                "attendance",
                "must be attended, no_show, excused or unmarked",
                Received(attendance)
            )
        }
        if let bookings = self.target.bookingIDs, !(1...1_000).contains(bookings.count) {
            throw WalletError.member("booking_ids", "must name 1 to 1000 bookings", Received(bookings.count))
        }
        if let name = self.target.name, !name.isEmpty || self.target.onDate != nil {
            try OperatorText.check(name, "name", upTo: 200)
        }
        if let email = self.target.email, !email.isEmpty { try OperatorText.check(email, "email", upTo: 320) }
        try self.target.checkDefinition(for: action)
        try OperatorText.check(self.reason, "reason", upTo: 500)
        return self
    }
}

extension OperatorAction.Target {
    /// Refuses an invalid class, product, series or policy, and a definition that belongs to another action.
    fileprivate func checkDefinition(for action: ActionDescription) throws {
        for owner in [ActionDescription.putClass, .putSeries, .putProduct, .putPolicy] {
            guard let member = owner.target.last, self.members.contains(member), owner.name != action.name else {
                continue
            }
            throw WalletError.malformed("Only \(owner.name) accepts the member \"\(member)\".")
        }
        if let id = self.classID, !ClassID.isValid(id) {
            throw WalletError.member("class_id", "must be 1 to 64 of A-Z a-z 0-9 . _ : -", Received(id))
        }
        if let id = self.seriesID, !ClassID.isValid(id, upTo: 48) {
            throw WalletError.member("series_id", "must be 1 to 48 of A-Z a-z 0-9 . _ : -", Received(id))
        }
        if let id = self.productID, !ClassID.isValid(id, upTo: 128) {
            throw WalletError.member("product_id", "must be 1 to 128 of A-Z a-z 0-9 . _ : -", Received(id))
        }
        _ = try self.classDefinition?.checked()
        if let id = self.policyID, !ClassID.isValid(id) {
            throw WalletError.member("policy_id", "must be 1 to 64 of A-Z a-z 0-9 . _ : -", Received(id))
        }
        _ = try self.seriesDefinition?.checked()
        _ = try self.product?.checked()
        _ = try self.policy?.checked()
    }
}

/// The target, encoded as `wallet.operator_act` expects it.
extension OperatorAction.Target: Encodable {
    /// Encodes the members that have a value; a class, a product, a series or a policy is encoded as its columns.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(self.userID, forKey: .userID)
        try container.encodeIfPresent(self.environment, forKey: .environment)
        try container.encodeIfPresent(self.bookingID, forKey: .bookingID)
        try container.encodeIfPresent(self.inFull, forKey: .inFull)
        try container.encodeIfPresent(self.claimID, forKey: .claimID)
        try container.encodeIfPresent(self.lotID, forKey: .lotID)
        try container.encodeIfPresent(self.from.map(WireJSON.text), forKey: .from)
        try container.encodeIfPresent(self.until.map(WireJSON.text), forKey: .until)
        try container.encodeIfPresent(self.flagID, forKey: .flagID)
        try container.encodeIfPresent(self.resolution, forKey: .resolution)
        try container.encodeIfPresent(self.inboxID, forKey: .inboxID)
        try container.encodeIfPresent(self.eventID, forKey: .eventID)
        try container.encodeIfPresent(self.tester, forKey: .tester)
        try container.encodeIfPresent(self.name, forKey: .name)
        try container.encodeIfPresent(self.email, forKey: .email)
        try container.encodeIfPresent(self.classID, forKey: .classID)
        try container.encodeIfPresent(self.seriesID, forKey: .seriesID)
        try container.encodeIfPresent(self.isNew, forKey: .isNew)
        try container.encodeIfPresent(self.fromDate, forKey: .fromDate)
        try container.encodeIfPresent(self.onDate, forKey: .onDate)
        try container.encodeIfPresent(self.productID, forKey: .productID)
        try container.encodeIfPresent(self.classDefinition.map(ClassColumns.init), forKey: .definition)
        try container.encodeIfPresent(self.seriesDefinition.map(SeriesColumns.init), forKey: .definition)
        try container.encodeIfPresent(self.product.map(ProductColumns.init), forKey: .definition)
        try container.encodeIfPresent(self.bookingIDs, forKey: .bookingIDs)
        try container.encodeIfPresent(self.attendance, forKey: .attendance)
        try container.encodeIfPresent(self.policyID, forKey: .policyID)
        try container.encodeIfPresent(self.policy.map(PolicyColumns.init), forKey: .definition)
    }
}

/// The changes that an operator's action made or would make.
public struct OperatorActionResult: Encodable, Sendable, Equatable {
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
