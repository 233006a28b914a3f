import Foundation
import Postgres
import Wallet

/// What the workers do, one call at a time.
extension WalkDatabase {
    /// Settles the next bookings of one class that was cancelled or moved; tells how many.
    func settle(limit: Int) async throws -> Int {
        let rows = try await self.service.query("SELECT wallet.settle_classes(\(Int32(limit))) AS settled")
        return Int(try rows.first?.decode("settled", as: Int32.self) ?? 0)
    }

    /// Promotes, skips or passes over one who waits.
    func promote(_ classID: String, _ environment: WalletEnvironment) async throws -> String {
        let rows = try await self.service.query(
            """
            SELECT wallet.promote_next(\(classID), \(environment.rawValue)::wallet.environment) AS done
            """
        )
        return try rows.first?.decode("done") ?? ""
    }

    /// Which classes have held seats.
    func classesToPromote() async throws -> [(classID: String, environment: WalletEnvironment)] {
        try await self.service.query(
            "SELECT s.class_id, s.environment::text AS environment FROM wallet.classes_to_promote(1000) AS s"
        ).compactMap { row in
            let classID = try row.decode("class_id", as: String.self)
            return WalletEnvironment(rawValue: try row.decode("environment")).map { (classID, $0) }
        }
    }

    /// Posts what is due, and ends the bookings of unlimited plans that are over.
    func endUnlimited() async throws {
        _ = try await self.wallet.sweep(limit: 100_000)
        _ = try await self.wallet.sweepSubscriptions(limit: 100_000)
        var ended = 1
        while ended > 0 {
            let rows = try await self.service.query("SELECT wallet.end_unlimited(1000) AS ended")
            ended = Int(try rows.first?.decode("ended", as: Int32.self) ?? 0)
        }
    }
}
