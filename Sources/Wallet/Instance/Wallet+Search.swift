import Foundation
import Postgres

extension Wallet {
    /// Says what a text that an operator has at hand names.
    ///
    /// A user's id or its beginning (three characters or more), a booking's id, a store's id of a purchase, the reference
    /// of an adjustment or of an operator's action, a class's id, or the confirmation code of a booking that stands, where
    /// its class is of yesterday to in two weeks. The id of a request finds the booking that the request made, since that
    /// booking took it; a request that made none, or brought an id of its own, is in the logs alone.
    ///
    /// SQL: `functions/instance/operator_search.sql`.
    ///
    /// - Parameters:
    ///   - text: What to look for.
    ///   - limit: How many hits at most.
    /// - Returns: What was found: users first, then the latest.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func search(_ text: String, limit: Int) async throws -> [SearchHit] {
        try await self.read(
            """
            SELECT h.kind, h.id, h.user_id, h.environment::text AS environment, h.at, h.summary
            FROM wallet.operator_search(\(text), \(limit)::integer) AS h
            """
        ) { row in
            let environment: String? = try row.decode("environment")
            return SearchHit(
                kind: try row.decode("kind"),
                id: try row.decode("id"),
                userID: try row.decode("user_id"),
                environment: environment.flatMap(WalletEnvironment.init),
                at: try row.decode("at"),
                summary: try row.decode("summary")
            )
        }
    }

    /// Looks whether a user is one that the wallet knows.
    ///
    /// - Parameter user: The user.
    /// - Throws: ``WalletError`` 404 `user-not-found`, 503 when the database does not answer.
    public func check(isKnown user: UserID) async throws {
        let known = try await self.read("SELECT FROM wallet.users AS u WHERE u.user_id = \(user.rawValue)") { _ in true
        }
        guard !known.isEmpty else { throw WalletError(status: 404, slug: "user-not-found") }
    }
}
