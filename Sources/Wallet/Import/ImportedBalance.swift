/// What another system says of one user: a balance, and how it came about.
public struct ImportedBalance: Sendable, Equatable {
    /// One line of the history of the credits.
    public struct Movement: Sendable, Equatable, Encodable {
        /// When it happened.
        public var at: ImportInstant
        /// How many credits came (positive) or went (negative).
        public var amount: Int64
        /// What the other system calls such a line.
        public var kind: String
        /// What it says of it; erased with its user.
        public var reason: String?

        /// Makes a line.
        public init(at: ImportInstant, amount: Int64, kind: String, reason: String? = nil) {
            self.at = at
            self.amount = amount
            self.kind = kind
            self.reason = reason
        }
    }

    /// Whose it is, as the issuer of tokens calls them.
    public var user: UserID
    /// The credits.
    public var credits: Int64
    /// The visits.
    public var visits: Int64
    /// The history of the credits; empty where the source has none.
    public var movements: [Movement]
    /// The balance's instant; nil for now.
    public var at: ImportInstant?
    /// What is said of the balance itself.
    public var reason: String?

    /// Makes a balance.
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
