/// An error of the communication with PostgreSQL.
///
/// ``description`` contains the code and the SQLSTATE only, because the server's own text may quote user input. Use
/// `String(reflecting:)` for the full text, for example in a log at debug level.
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

        /// The code's name, as used in logs and metrics.
        public var description: String { self.value.rawValue }

        /// A function refused the request (SQLSTATE `WLnnn`).
        public static let refused = Self(.refused)
        /// The statement violates a unique, foreign key or exclusion constraint (23505, 23503, 23P01).
        public static let conflict = Self(.conflict)
        /// A value is not acceptable (23514, 23502, class 22).
        public static let invalid = Self(.invalid)
        /// A serialization failure or deadlock (40001, 40P01); a pool reports it only after its retries.
        public static let serialization = Self(.serialization)
        /// A lock was not granted in time (55P03).
        public static let lockTimeout = Self(.lockTimeout)
        /// The statement was cancelled (57014), or the task was cancelled while it waited for a connection.
        public static let cancelled = Self(.cancelled)
        /// The server is unreachable, is stopping, cannot write or does not answer; the outcome of the statement is
        /// unknown.
        public static let unavailable = Self(.unavailable)
        /// All connections were in use, and none became free in time.
        public static let overloaded = Self(.overloaded)
        /// A row does not have the requested shape.
        public static let decoding = Self(.decoding)
        /// The connection or the pool was closed by this process.
        public static let closed = Self(.closed)
        /// Any other error: a bug in this program or in its SQL.
        public static let `internal` = Self(.internal)
    }

    /// The kind of failure.
    public var code: Code
    /// The server's SQLSTATE (five characters); `nil` if the error arose in this process.
    public var sqlState: String?
    /// The server's MESSAGE (for `WLnnn` the slug of the problem), or this module's explanation.
    public var message: String?
    /// The server's DETAIL (for `WLnnn` the problem's members as JSON).
    public var detail: String?
    /// The name of the violated constraint.
    public var constraint: String?
    /// The server's CONTEXT: the running function and the line in it.
    public var context: String?
    /// The position of the error in the SQL text, counted in characters from 1.
    public var position: Int?

    /// A Boolean value that indicates whether it is certain that no byte of the statement was sent.
    public internal(set) var isUnsent = false
    /// A Boolean value that indicates whether the deadline passed while the server still worked on the statement, which
    /// may still take effect.
    public internal(set) var isGivenUp = false
    /// A Boolean value that indicates whether the prepared statement no longer exists or no longer fits its tables.
    var isStaleStatement = false
    /// The number of statements of a script that succeeded before the error.
    var completed = 0

    /// Creates an error that arose in this process.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: An explanation without user data.
    public init(_ code: Code, _ message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// Creates an error from a server's report.
    ///
    /// - Parameters:
    ///   - sqlState: The SQLSTATE (five characters), which determines the code.
    ///   - message: The server's MESSAGE.
    ///   - detail: The server's DETAIL.
    public init(sqlState: String, message: String? = nil, detail: String? = nil) {
        self.code = Code(sqlState: sqlState)
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
    }

    /// The HTTP status of a refusal: `nnn` of `WLnnn`; `nil` for every other error.
    public var httpStatus: Int? { self.sqlState.flatMap(Code.httpStatus(ofRefusal:)) }

    /// The same error, marked as not sent: the statement never left this process.
    var unsent: PostgresError {
        var error = self
        error.isUnsent = true
        return error
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code and the SQLSTATE, or the code and this module's message if there is no SQLSTATE.
    public var description: String {
        guard let sqlState = self.sqlState else {
            return "postgres \(self.code)" + (self.message.map { ": \($0)" } ?? "")
        }
        return "postgres \(self.code) (SQLSTATE \(sqlState))"
    }

    /// All details, including the server's text, which may quote user data.
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

extension PostgresError.Code {
    /// Maps a SQLSTATE to a code; no other code does this.
    init(sqlState: String) {
        switch sqlState {
        case _ where Self.httpStatus(ofRefusal: sqlState) != nil: self = .refused
        case "23505", "23503", "23P01": self = .conflict
        case "23514", "23502": self = .invalid
        case "40001", "40P01": self = .serialization
        case "55P03": self = .lockTimeout
        case "57014": self = .cancelled
        // 57P01-03: stopping, crashed or starting; 57P05 and 25P03: the server closed an idle session;
        // 25006: this server has become a standby.
        case "57P01", "57P02", "57P03", "57P05", "25P03", "25006": self = .unavailable
        default: self = Self(sqlStateClass: sqlState.prefix(2))
        }
    }

    private init(sqlStateClass: Substring) {
        switch sqlStateClass {
        case "08", "53": self = .unavailable
        case "22": self = .invalid
        default: self = .internal
        }
    }

    /// The HTTP status in a SQLSTATE of the form `WLnnn`.
    static func httpStatus(ofRefusal sqlState: String) -> Int? {
        guard sqlState.utf8.count == 5, sqlState.hasPrefix("WL"), let status = Int(sqlState.dropFirst(2)) else {
            return nil
        }
        return (400...599).contains(status) ? status : nil
    }
}
