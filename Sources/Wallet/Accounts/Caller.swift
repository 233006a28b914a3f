public import Foundation
import Postgres

/// Who asks, and what decides whether the token still speaks for them when the request is decided.
public struct Caller: Sendable {
    /// The user.
    public let user: UserID
    /// When the user's token was issued; nil where it does not say, which counts as long ago.
    let issuedAt: Date?
    /// Whether the user has not signed in; nil where no token says so.
    let isAnonymous: Bool?
    /// What remembers the account of the user's token; nil where nothing does.
    let account: AdmittedAccount?

    /// Makes a caller of a user and what the user's verified token says.
    ///
    /// - Parameters:
    ///   - user: The token's user.
    ///   - issuedAt: When the token was issued; nil where it does not say.
    ///   - isAnonymous: Whether the user has not signed in.
    ///   - account: What remembers the account of the token; nil for looking at user and token each time.
    public init(_ user: UserID, issuedAt: Date?, isAnonymous: Bool, account: AdmittedAccount? = nil) {
        self.user = user
        self.issuedAt = issuedAt
        self.isAnonymous = isAnonymous
        self.account = account
    }

    /// Makes a caller of a user who was let in already.
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
    /// Writes what finds a caller's account, opening one for a user never seen.
    ///
    /// SQL: `functions/accounts/caller_account.sql`.
    ///
    /// - Parameter caller: Who calls.
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
