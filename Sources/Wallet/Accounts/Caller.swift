public import Foundation
import Postgres

/// The user who makes a request, and the token's properties that decide whether the token is still valid.
public struct Caller: Sendable {
    /// The user.
    public let user: UserID
    /// The time at which the user's token was issued; `nil` if the token contains no time, which counts as long ago.
    let issuedAt: Date?
    /// A Boolean value that indicates whether the user has not signed in; `nil` without a token.
    let isAnonymous: Bool?
    /// The cache for the account of the user's token; `nil` without a cache.
    let account: AdmittedAccount?

    /// Creates a caller from a user and the claims of the user's verified token.
    ///
    /// - Parameters:
    ///   - user: The token's user.
    ///   - issuedAt: The time at which the token was issued; `nil` if the token contains no time.
    ///   - isAnonymous: A Boolean value that indicates whether the user has not signed in.
    ///   - account: The cache for the token's account; `nil` to look up the user and the token each time.
    public init(_ user: UserID, issuedAt: Date?, isAnonymous: Bool, account: AdmittedAccount? = nil) {
        self.user = user
        self.issuedAt = issuedAt
        self.isAnonymous = isAnonymous
        self.account = account
    }

    /// Creates a caller for a user who has already been admitted.
    ///
    /// - Parameter user: The user.
    public init(admitted user: UserID) {
        self.user = user
        self.issuedAt = .distantFuture
        self.isAnonymous = nil
        self.account = nil
    }
}

extension Query.StringInterpolation {
    /// Appends a call that returns a caller's account and opens one for a new user.
    ///
    /// SQL: `functions/accounts/admission.sql`.
    ///
    /// - Parameter caller: The caller.
    mutating func appendInterpolation(accountOf caller: Caller) {
        self.appendLiteral("wallet.caller_account(")
        self.appendInterpolation(caller.user.rawValue)
        self.appendLiteral(", ")
        self.appendInterpolation(caller.issuedAt)
        self.appendLiteral(", ")
        self.appendInterpolation(caller.isAnonymous)
        self.appendLiteral(", ")
        self.appendInterpolation(caller.user.appAccountToken)
        self.appendLiteral(")")
    }
}
