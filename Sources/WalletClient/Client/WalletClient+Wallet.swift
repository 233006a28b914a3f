public import Foundation

extension WalletClient {
    private struct EntryPage: Decodable {
        let entries: [LedgerEntry]
        let nextCursor: String?

        private enum CodingKeys: String, CodingKey {
            case entries
            case nextCursor = "next_cursor"
        }
    }

    private struct IdentifyBody: Encodable {
        let anonymousToken: String

        private enum CodingKeys: String, CodingKey {
            case anonymousToken = "anonymous_token"
        }
    }

    /// Reads the current balance; a new user has zeros.
    /// - Returns: The balance.
    /// - Throws: ``WalletProblem``.
    public func balance() async throws -> Balance {
        try await self.send(WalletCall(path: ["balance"]), as: Balance.self).0
    }

    /// Returns the balance at a future instant, after expiries and known renewals.
    /// - Parameter instant: The instant, at most 730 days ahead.
    /// - Returns: The balance at that instant, if nothing is bought, booked or cancelled until then.
    /// - Throws: ``WalletProblem``, such as `forecast-out-of-range`.
    public func forecast(at instant: Date) async throws -> Balance {
        let call = WalletCall(path: ["balance", "forecast"], query: [("at", instant.formatted(.iso8601))])
        return try await self.send(call, as: Balance.self).0
    }

    /// Lists the wallet's ledger.
    /// - Parameters:
    ///   - cursor: The ``Page/nextCursor`` of the previous page; nil for the first page.
    ///   - limit: The maximum number of items; nil for the wallet's default.
    /// - Returns: A page of entries.
    /// - Throws: ``WalletProblem``.
    public func transactions(cursor: String? = nil, limit: Int? = nil) async throws -> Page<LedgerEntry> {
        let call = WalletCall(path: ["transactions"], query: [("cursor", cursor), ("limit", limit.map(String.init))])
        let page = try await self.send(call, as: EntryPage.self).0
        return Page(items: page.entries, nextCursor: page.nextCursor)
    }

    /// Merges the account of an anonymous user into the account of the signed-in user; a repeat changes nothing.
    ///
    /// After the merge, the service rejects the anonymous user's tokens.
    /// - Parameter anonymousToken: The bearer token of the anonymous user.
    /// - Returns: The user's balance after the merge.
    /// - Throws: ``WalletProblem``, such as `not-mergeable`.
    public func identify(anonymousToken: String) async throws -> Balance {
        let body = try JSONEncoder().encode(IdentifyBody(anonymousToken: anonymousToken))
        return try await self.send(WalletCall(method: "POST", path: ["identify"], body: body), as: Balance.self).0
    }

    /// Deletes the user's account: the service erases the user id and personal text and cancels upcoming bookings.
    ///
    /// Purchases are kept until a user proves them with ``restore(_:)``.
    ///
    /// The client sends this request only once. After the deletion the service rejects the user's old tokens, so a
    /// second attempt could not distinguish success from an invalid token. If no response came, read the balance:
    /// `unauthenticated` for a token that was valid before means that the account is deleted.
    /// - Throws: ``WalletProblem``; ``WalletClientError/Code/unreachable`` if no response came.
    public func deleteAccount() async throws {
        _ = try await self.perform(WalletCall(method: "DELETE", path: ["account"], isRepeatable: false))
    }
}
