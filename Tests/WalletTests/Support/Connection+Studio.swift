import Foundation
import Postgres
import Testing
import Wallet

/// The service's calls about whole classes, plans and passes, on a connection of one's own.
extension Connection {
    func put(_ id: String, _ terms: ModelTerms, key: String) async throws {
        let limits = terms.limits
        try await self.query(
            """
            SELECT wallet.put_class(
                \(id), 'A class', \(terms.startsAt), \(terms.endsAt), \(Int32(terms.capacity)), \(terms.price.credits),
                \(terms.price.visits), \(Int32(terms.freeMinutesBefore)), 'operator', \(key),
                ROW(
                    \(limits.maxSeats.map { Int32($0) })::integer, \(limits.daysAhead.map { Int32($0) })::integer,
                    \(limits.opensMinutesBefore.map { Int32($0) })::integer,
                    \(limits.closesMinutesBefore.map { Int32($0) })::integer,
                    \(limits.maxOverlaps.map { Int32($0) })::integer, \(Int32(limits.cutoffMinutes))::integer
                )::wallet.class_limits
            )
            """
        )
    }

    func cancelClass(_ id: String, reason: String, key: String) async throws {
        try await self.query("SELECT wallet.cancel_class(\(id), \(reason), 'operator', \(key))")
    }

    /// Settles the next bookings of one class that was cancelled or moved; tells how many.
    func settle(limit: Int) async throws -> Int {
        let rows = try await self.query("SELECT wallet.settle_classes(\(Int32(limit))) AS settled")
        return Int(try rows.first?.decode("settled", as: Int32.self) ?? 0)
    }

    /// Ends the bookings of unlimited plans that are over, to the last.
    func endUnlimited() async throws {
        var ended = 1
        while ended > 0 {
            let rows = try await self.query("SELECT wallet.end_unlimited(1000) AS ended")
            ended = Int(try rows.first?.decode("ended", as: Int32.self) ?? 0)
        }
    }

    /// Spends a visit of a purchase by itself; tells whether that was done before, and what is left.
    func consume(
        _ transactionID: String,
        reference: String,
        by user: UserID,
        in environment: WalletEnvironment
    ) async throws -> (replayed: Bool, isConsumed: Bool, remaining: Int64) {
        let rows = try await self.query(
            """
            SELECT u.replayed, u.is_consumed, u.remaining FROM wallet.consume_pass(
                wallet.account_for(\(user.rawValue)), \(environment.rawValue)::wallet.environment, \(transactionID),
                \(reference)
            ) AS u
            """
        )
        let row = try #require(rows.first)
        return (
            try row.decode("replayed"), try row.decode("is_consumed"), try row.decode("remaining")
        )
    }
}
