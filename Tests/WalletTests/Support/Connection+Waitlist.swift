import Foundation
import Postgres
import Wallet

/// The service's calls about waitlists, on a connection of one's own.
extension Connection {
    /// Lets a user wait for seats; tells whether they are new there.
    func join(_ asked: NewBooking, by user: UserID, in environment: WalletEnvironment) async throws -> Bool {
        let rows = try await self.query(
            """
            SELECT wallet.join_waitlist(
                wallet.account_for(\(user.rawValue)), \(environment.rawValue)::wallet.environment, \(asked.classID),
                \(Int32(asked.seats)), \(asked.payWith), \(asked.maxAmount)
            ) AS is_new
            """
        )
        return try rows.contains { try $0.decode("is_new") }
    }

    /// Lets a user wait no longer.
    func leave(_ classID: String, by user: UserID, in environment: WalletEnvironment) async throws {
        try await self.query(
            """
            SELECT wallet.leave_waitlist(
                wallet.account_for(\(user.rawValue)), \(environment.rawValue)::wallet.environment, \(classID)
            )
            """
        )
    }

    /// Which classes have seats that are held for those who wait.
    func classesToPromote() async throws -> [(classID: String, environment: WalletEnvironment)] {
        try await self.query(
            "SELECT s.class_id, s.environment::text AS environment FROM wallet.classes_to_promote(1000) AS s"
        ).compactMap { row in
            let classID = try row.decode("class_id", as: String.self)
            return WalletEnvironment(rawValue: try row.decode("environment")).map { (classID, $0) }
        }
    }

    /// Promotes one who waits; tells how that went.
    func promote(_ classID: String, _ environment: WalletEnvironment) async throws -> String {
        let rows = try await self.query(
            "SELECT wallet.promote_next(\(classID), \(environment.rawValue)::wallet.environment) AS done"
        )
        return try rows.first?.decode("done") ?? ""
    }
}
