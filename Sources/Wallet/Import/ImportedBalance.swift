/// A user's balance in another system, and its history.
public struct ImportedBalance: Sendable, Equatable {
    /// One movement in the history of the credits.
    public struct Movement: Sendable, Equatable, Encodable {
        /// The time of the movement.
        public var at: ImportInstant
        /// The number of credits added (positive) or removed (negative).
        public var amount: Int64
        /// The other system's name for this kind of movement.
        public var kind: String
        /// The other system's text for the movement; erased together with the user.
        public var reason: String?

        /// Creates a movement.
        public init(at: ImportInstant, amount: Int64, kind: String, reason: String? = nil) {
            self.at = at
            self.amount = amount
            self.kind = kind
            self.reason = reason
        }
    }

    /// The user's id, as used by the issuer of tokens.
    public var user: UserID
    /// The credits.
    public var credits: Int64
    /// The visits.
    public var visits: Int64
    /// The history of the credits; empty if the source has none.
    public var movements: [Movement]
    /// The time of the balance; `nil` for now.
    public var at: ImportInstant?
    /// The text for the balance itself.
    public var reason: String?

    /// Creates a balance.
    public init(
        user: UserID,
        credits: Int64,
        visits: Int64 = 0,
        movements: [Movement] = [],
        at: ImportInstant? = nil,
        reason: String? = nil
    ) {
        self.user = user
        self.credits = credits
        self.visits = visits
        self.movements = movements
        self.at = at
        self.reason = reason
    }
}
