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

    private struct PurchasePage: Decodable {
        let purchases: [Purchase]
        let nextCursor: String?

        private enum CodingKeys: String, CodingKey {
            case purchases
            case nextCursor = "next_cursor"
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

    /// Lists the user's store purchases and their remaining amounts.
    /// - Parameters:
    ///   - cursor: The ``Page/nextCursor`` of the previous page; nil for the first page.
    ///   - limit: The maximum number of purchases; nil for the wallet's default.
    /// - Returns: A page of purchases.
    /// - Throws: ``WalletProblem``.
    public func purchases(cursor: String? = nil, limit: Int? = nil) async throws -> Page<Purchase> {
        let call = WalletCall(path: ["purchases"], query: [("cursor", cursor), ("limit", limit.map(String.init))])
        let page = try await self.send(call, as: PurchasePage.self).0
        return Page(items: page.purchases, nextCursor: page.nextCursor)
    }

    /// Reads the user's subscriptions and entitlements.
    /// - Returns: The subscriptions, tier and entitlements.
    /// - Throws: ``WalletProblem``.
    public func subscriptions() async throws -> SubscriptionOverview {
        try await self.send(WalletCall(path: ["subscriptions"]), as: SubscriptionOverview.self).0
    }
}
