import JSON
import Postgres

/// A refusal or failure of the wallet, in the terms of the HTTP contract.
///
/// The database decides refusals and names them (`sql/functions`), so this module has no second table of errors.
public struct WalletError: Error, Sendable, Equatable {
    /// The HTTP status, such as 402.
    public var status: Int
    /// The last part of the problem type, such as `insufficient-credits`.
    public var slug: String
    /// A sentence about this occurrence; `nil` if the slug and the members suffice.
    public var detail: String?
    /// The problem's extension members as the text of a JSON object, if there are any.
    public var membersJSON: String?
    /// The number of seconds after which the same request may succeed, for 429 and 503.
    public var retryAfter: Int?

    /// Creates an error from its parts.
    public init(
        status: Int,
        slug: String,
        detail: String? = nil,
        membersJSON: String? = nil,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.slug = slug
        self.detail = detail
        self.membersJSON = membersJSON
        self.retryAfter = retryAfter
    }
}

extension WalletError {
    /// Returns the error for an invalid query parameter.
    ///
    /// - Parameters:
    ///   - parameter: The parameter's name.
    ///   - allowed: The allowed values, in words.
    ///   - received: The value from the client; `nil` for a required parameter that is missing or empty.
    /// - Returns: 400 `malformed-request` with these three values as its members.
    static func malformed(parameter: String, allowed: String, received: String?) -> WalletError {
        var members: [String: JSONValue] = ["parameter": .text(parameter), "allowed": .text(allowed)]
        members["received"] = received.map { .text($0) }
        return WalletError(status: 400, slug: "malformed-request", membersJSON: JSONValue.object(members).jsonText)
    }
}

extension WalletError: CustomStringConvertible {
    /// The slug and the status, without any user data.
    public var description: String { "\(self.slug) (\(self.status))" }
}

extension WalletError {
    /// Creates an error from a database error: a refusal keeps its slug, and an outage becomes 503 with a retry delay.
    init(_ error: PostgresError) {
        if let status = error.httpStatus {
            self.init(
                status: status,
                slug: error.message ?? "refused",
                membersJSON: error.detail,
                retryAfter: status == 503 ? 1 : nil
            )
            return
        }
        switch error.code {
        case .lockTimeout: self.init(status: 503, slug: "wallet-busy", retryAfter: 2)
        case .overloaded: self.init(status: 503, slug: "overloaded", retryAfter: 1)
        case .unavailable, .closed, .serialization, .cancelled:
            self.init(status: 503, slug: "database-unavailable", retryAfter: 2)
        case .conflict: self.init(status: 409, slug: "conflict")
        case .invalid: self.init(status: 422, slug: "invalid-values")
        default: self.init(status: 500, slug: "internal-error")
        }
    }
}
