public import Foundation
import Postgres
import Synchronization

extension Wallet {
    /// Admits a token's user, unless the account was deleted after the token was issued, or merged into another.
    ///
    /// SQL: `functions/accounts/admission.sql`.
    ///
    /// - Parameter caller: The token's user and the token's claims.
    /// - Returns: The account, which the caller remembers; `nil` for a user who had no account before.
    /// - Throws: ``WalletError`` 401 `unauthenticated`; 503 when the database does not answer.
    @discardableResult
    public func admit(_ caller: Caller) async throws -> AdmittedAccount.Identity? {
        let accounts = try await self.ask(
            """
            SELECT a.account_id, a.opened_at
            FROM wallet.admit_token(
                \(caller.user.rawValue), \(caller.issuedAt), \(caller.isAnonymous), \(caller.user.appAccountToken)
            ) AS a
            """
        ) { row -> AdmittedAccount.Identity? in
            guard let id = try row.decode("account_id", as: Int64?.self) else { return nil }
            return AdmittedAccount.Identity(id: id, openedAt: try row.decode("opened_at"))
        }
        let account = accounts.first ?? nil
        if let account { caller.account?.remember(account) }
        return account
    }

    /// Returns whether an administrator has listed a user as a tester, who acts on sandbox wallets.
    ///
    /// The list is read at most once a second, because every request of a user checks it. A change takes effect after
    /// that.
    ///
    /// SQL: `views/instance/instance_facts.sql`.
    ///
    /// - Parameter user: The user; an unknown user is not a tester.
    /// - Returns: A Boolean value that indicates whether the user is a tester.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func isTester(_ user: UserID) async throws -> Bool {
        try await self.testers.contains(user) {
            try await self.ask("SELECT u.user_id FROM wallet.users AS u WHERE u.is_tester") { row in
                UserID(rawValue: try row.decode("user_id"))
            }
        }
    }
}

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

/// A cache for the account of one token's user.
///
/// A booking or a read of a cached account needs no lookup of the user and the token. Each of them checks the account's
/// current state. If the account was deleted or merged, nothing is done and the token is looked up again.
public final class AdmittedAccount: Sendable {
    /// An account.
    ///
    /// The opening time distinguishes it from another account with the same number in a restored database.
    public struct Identity: Sendable {
        let id: Int64
        let openedAt: Date
    }

    private let identity = Mutex<Identity?>(nil)

    /// Creates an empty cache.
    public init() {}

    /// The account; `nil` before the first request with the token.
    var known: Identity? { self.identity.withLock { $0 } }

    /// Stores an account, or removes the stored one.
    ///
    /// - Parameter identity: The account; `nil` to remove the stored one.
    func remember(_ identity: Identity?) {
        self.identity.withLock { $0 = identity }
    }
}

/// A short-lived cache of the users who act on sandbox wallets, because every request needs the list.
final class TesterList: Sendable {
    private struct State {
        var users: Set<UserID> = []
        var readAt: ContinuousClock.Instant?
    }

    /// The lifetime of the cached list; an administrator's change takes effect after this time at the latest.
    private static let lifetime: Duration = .seconds(1)

    private let state = Mutex(State())

    /// Returns whether a user is listed.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - read: Reads the list.
    /// - Returns: A Boolean value that indicates whether the user is listed.
    /// - Throws: Any error that `read` throws.
    func contains(_ user: UserID, _ read: () async throws -> [UserID]) async throws -> Bool {
        let known: Bool? = self.state.withLock { state in
            guard let readAt = state.readAt, readAt.duration(to: .now) < Self.lifetime else { return nil }
            return state.users.contains(user)
        }
        if let known { return known }
        // Several tasks may read at the same time; the read that started last wins.
        let start = ContinuousClock.now
        let users = Set(try await read())
        self.state.withLock { state in
            if state.readAt.map({ $0 < start }) ?? true { state = State(users: users, readAt: start) }
        }
        return users.contains(user)
    }
}
