import Foundation
import Postgres
import Wallet

extension WalkDriver {
    func join(_ asked: NewBooking, _ key: WalletKey) async throws -> String {
        let rows = try await self.database.service.query(
            """
            SELECT wallet.join_waitlist(
                wallet.account_for(\(self.names.userIDs[key.user])), \(key.environment.rawValue)::wallet.environment,
                \(asked.classID), \(Int32(asked.seats)), \(asked.payWith), \(asked.maxAmount)
            ) AS is_new
            """
        )
        return try rows.contains { try $0.decode("is_new") } ? "joined" : "waits already"
    }

    func leave(_ classID: String, _ key: WalletKey) async throws {
        try await self.database.service.query(
            """
            SELECT wallet.leave_waitlist(
                wallet.account_for(\(self.names.userIDs[key.user])), \(key.environment.rawValue)::wallet.environment,
                \(classID)
            )
            """
        )
    }

    func consume(_ transactionID: String, _ reference: String, _ key: WalletKey) async throws -> String {
        let rows = try await self.database.service.query(
            """
            SELECT u.replayed, u.is_consumed, u.remaining FROM wallet.consume_pass(
                wallet.account_for(\(self.names.userIDs[key.user])), \(key.environment.rawValue)::wallet.environment,
                \(transactionID), \(reference)
            ) AS u
            """
        )
        return try rows.map { row in
            let remaining = try row.decode("remaining", as: Int64.self)
            let isTold = try row.decode("is_consumed", as: Bool.self) == (remaining == 0)
            return (try row.decode("replayed", as: Bool.self) ? "replayed " : "") + "consumed, \(remaining) left"
                + (isTold ? "" : ", untrue")
        }.joined()
    }

    func put(_ id: String, _ terms: ModelTerms, _ key: String) async throws {
        let limits = terms.limits
        try await self.database.service.query(
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
}
