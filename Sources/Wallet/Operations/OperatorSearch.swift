public import Foundation
import Postgres

extension Wallet {
    /// Searches for the objects that a text identifies.
    ///
    /// The text may be a part of a user's id, name or email address, a booking's id, a store's id of a purchase, the
    /// reference of an adjustment or of an operator's action, a class's id or a part of its title, or a confirmation
    /// code or four or more of its digits. Confirmation codes are found only for active bookings of classes between
    /// yesterday and two weeks ahead.
    ///
    /// A request's id finds the booking that the request made, because the booking has the same id. A request that made
    /// no booking, or that had its own id, is only in the logs.
    ///
    /// SQL: `functions/operations/operator_search.sql`.
    ///
    /// - Parameters:
    ///   - text: The text to search for.
    ///   - limit: The maximum number of results.
    /// - Returns: The results: users first, then those nearest in time.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func search(_ text: String, limit: Int) async throws -> [SearchHit] {
        try await self.read(
            """
            SELECT h.kind, h.id, h.user_id, h.environment::text AS environment, h.at, h.summary, h.user_name
            FROM wallet.operator_search(\(text), \(limit)::integer) AS h
            """
        ) { row in
            let environment: String? = try row.decode("environment")
            return SearchHit(
                kind: try row.decode("kind"),
                id: try row.decode("id"),
                userID: try row.decode("user_id"),
                userName: try row.decode("user_name"),
                environment: environment.flatMap(WalletEnvironment.init),
                at: try row.decode("at"),
                summary: try row.decode("summary")
            )
        }
    }

    /// Checks that the wallet knows a user.
    ///
    /// - Parameter user: The user.
    /// - Throws: ``WalletError`` 404 `user-not-found`, 503 when the database does not answer.
    public func check(isKnown user: UserID) async throws {
        let known = try await self.read(
            "SELECT FROM wallet.users AS u WHERE u.user_id = \(user.rawValue)"
        ) { _ in true }
        guard !known.isEmpty else { throw WalletError(status: 404, slug: "user-not-found") }
    }
}

/// A result of an operator's search.
public struct SearchHit: Encodable, Sendable, Equatable {
    /// `user`, `booking`, `purchase`, `adjustment`, `action` or `class`.
    public var kind: String
    /// The id: of a user, a booking or a class, the store's id of a purchase, or a reference.
    public var id: String
    /// The user; `nil` for a class, for an action without a user, and for data of a deleted user.
    ///
    /// Data of a merged user belongs to the user of the remaining account.
    @Nullable public var userID: String?
    /// The user's name, or the email address without a name; `nil` if neither is known.
    @Nullable public var userName: String?
    /// The environment of the user's wallet; `nil` for users and classes, and for actions without a wallet.
    @Nullable public var environment: WalletEnvironment?
    /// The time of the creation, purchase, booking or action, or the start of a class.
    public var at: Date
    /// A description in words, for a user with a name the email address; `nil` for a user without anything to report.
    @Nullable public var summary: String?

    enum CodingKeys: String, CodingKey {
        case kind, id
        case userID = "user_id"
        case userName = "user_name"
        case environment, at, summary
    }
}
