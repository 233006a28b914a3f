/// What went wrong between this process and PostgreSQL.
///
/// ``description`` names the code and the SQLSTATE only: a server's own text may quote what a user sent. For the whole
/// of it, as a log at debug level may want, use `String(reflecting:)`.
public struct PostgresError: Error, Sendable, Equatable {
    /// The kind of failure, one of a set that may grow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: String, Sendable {
            case refused
            case conflict
            case invalid
            case serialization
            case lockTimeout
            case cancelled
            case unavailable
            case overloaded
            case decoding
            case closed
            case `internal`
        }

        private let value: Value

        private init(_ value: Value) {
            self.value = value
        }

        /// The code's name, as logs and metrics carry it.
        public var description: String { self.value.rawValue }

        /// A function decided against the request (SQLSTATE `WLnnn`).
        public static let refused = Self(.refused)
        /// A unique, foreign key or exclusion constraint stood against it (23505, 23503, 23P01).
        public static let conflict = Self(.conflict)
        /// A value was not acceptable (23514, 23502, class 22).
        public static let invalid = Self(.invalid)
        /// Transactions got in each other's way (40001, 40P01) more often than they are retried.
        public static let serialization = Self(.serialization)
        /// A lock was not to be had in time (55P03).
        public static let lockTimeout = Self(.lockTimeout)
        /// The statement was cancelled, or its task was while it waited for a connection (57014).
        public static let cancelled = Self(.cancelled)
        /// The server cannot be reached, is stopping, cannot write or does not answer; what became of the statement
        /// is not known.
        public static let unavailable = Self(.unavailable)
        /// Every connection was taken and none came free in time.
        public static let overloaded = Self(.overloaded)
        /// A row does not have the shape that was asked for.
        public static let decoding = Self(.decoding)
        /// The connection or the pool was closed by this process.
        public static let closed = Self(.closed)
        /// Anything else: a mistake in this program or in its SQL.
        public static let `internal` = Self(.internal)
    }

    /// The kind of failure.
    public var code: Code
    /// The server's five characters; `nil` where the failure arose on this side.
    public var sqlState: String?
    /// The server's MESSAGE (for `WLnnn` the slug of the problem), or this module's own explanation.
    public var message: String?
    /// The server's DETAIL (for `WLnnn` the problem's members as JSON).
    public var detail: String?
    /// The constraint that was violated.
    public var constraint: String?
    /// The server's CONTEXT: which function was running, at which line.
    public var context: String?
    /// Where in the SQL text the server saw the fault, counted in characters from 1.
    public var position: Int?

    /// Whether it is certain that no byte of the statement was sent.
    public internal(set) var isUnsent = false
    /// A Boolean value that indicates whether the deadline passed while the server still worked on the statement, which
    /// may yet take effect.
    public internal(set) var isGivenUp = false
    /// Whether a prepared statement had outlived what it was prepared for.
    var isStaleStatement = false
    /// How many statements of a script had succeeded before.
    var completed = 0

    /// Creates an error that arose on this side.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: An explanation that carries no user data.
    public init(_ code: Code, _ message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// Creates an error out of what a server reports.
    ///
    /// - Parameters:
    ///   - sqlState: The five characters the code follows from.
    ///   - message: The server's MESSAGE.
    ///   - detail: The server's DETAIL.
    public init(sqlState: String, message: String? = nil, detail: String? = nil) {
        self.code = Code(sqlState: sqlState)
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
    }

    /// The HTTP status a refusal carries: `nnn` of `WLnnn`; `nil` for everything else.
    public var httpStatus: Int? { self.sqlState.flatMap(Code.httpStatus(ofRefusal:)) }

    /// The same error, marked as one whose statement never left this process.
    var unsent: PostgresError {
        var error = self
        error.isUnsent = true
        return error
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code, the SQLSTATE, and the message where it is this module's own.
    public var description: String {
        guard let sqlState = self.sqlState else {
            return "postgres \(self.code)" + (self.message.map { ": \($0)" } ?? "")
        }
        return "postgres \(self.code) (SQLSTATE \(sqlState))"
    }

    /// Everything known, the server's text included: it may quote user data.
    public var debugDescription: String {
        var text = "postgres \(self.code)"
        if let sqlState = self.sqlState { text += " (SQLSTATE \(sqlState))" }
        if let message = self.message { text += ": \(message)" }
        if let detail = self.detail { text += " DETAIL: \(detail)" }
        if let constraint = self.constraint { text += " CONSTRAINT: \(constraint)" }
        if let context = self.context { text += " CONTEXT: \(context)" }
        return text
    }
}
