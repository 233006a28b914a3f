import Foundation
import Postgres
import Synchronization

extension Wallet {
    /// Stores the name and the email address from a caller's token, if the caller has an account.
    ///
    /// Each token's profile is stored once. If the caller has no account yet, or if the database does not answer, a
    /// later request with the token stores it.
    ///
    /// SQL: `functions/accounts/profiles.sql`.
    ///
    /// - Parameters:
    ///   - profile: The profile of the token.
    ///   - caller: The token's user.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func note(_ profile: TokenProfile, of caller: Caller) async throws {
        guard caller.account?.known != nil, let claimed = profile.take() else { return }
        do {
            let done = try await self.ask(
                """
                SELECT wallet.note_profile(
                    \(caller.user.rawValue), \(caller.issuedAt), \(claimed.name), \(claimed.email)
                ) AS done
                """
            ) { row in try row.decode("done", as: Bool.self) }
            if !done.contains(true) { profile.giveBack(claimed) }
        } catch {
            profile.giveBack(claimed)
            throw error
        }
    }
}

/// The name and the email address of a user.
public struct UserProfile: Sendable, Equatable {
    /// The name; `nil` if it is unknown.
    public var name: String?
    /// The email address; `nil` if it is unknown.
    public var email: String?

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` if it is unknown.
    ///   - email: The email address; `nil` if it is unknown.
    public init(name: String?, email: String?) {
        self.name = name
        self.email = email
    }
}

/// The profile in the claims of one token, until it is stored.
public final class TokenProfile: Sendable {
    private let profile: Mutex<UserProfile?>

    /// Creates a profile that is not stored yet.
    ///
    /// - Parameter profile: The profile.
    public init(_ profile: UserProfile) {
        self.profile = Mutex(profile)
    }

    /// Returns the profile to the first caller, and `nil` to the others.
    func take() -> UserProfile? {
        self.profile.withLock { profile in
            defer { profile = nil }
            return profile
        }
    }

    /// Keeps a profile that could not be stored.
    func giveBack(_ profile: UserProfile) {
        self.profile.withLock { $0 = profile }
    }
}
