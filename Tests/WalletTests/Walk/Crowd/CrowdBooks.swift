import Foundation
import Postgres
import Wallet

/// The books after a crowd, for comparison with the recorded answers.
struct CrowdBooks {
    struct Booking {
        let id: UUID
        let user: Int
        let classID: String
        let seats: Int
        let unit: String
        let amount: Int64
        let returned: Int64?
        let cancelledBy: String?
        let isPromoted: Bool
    }

    struct Seats {
        let sold: Int
        let held: Int
        let isCancelled: Bool
    }

    let bookings: [Booking]
    let seats: [String: Seats]

    init(_ plan: CrowdPlan, _ database: WalkDatabase) async throws {
        let users = plan.users.map(\.rawValue)
        self.bookings = try await database.root.query(
            """
            SELECT b.booking_id, array_position(\(users)::text[], i.user_id) - 1 AS member, b.class_id, b.seats,
                coalesce(b.unit::text, '-') AS unit, b.amount, b.returned, b.cancelled_by, b.promoted
            FROM wallet.bookings AS b INNER JOIN wallet.identities AS i ON b.account_id = i.account_id
            WHERE i.user_id = ANY(\(users))
            """
        ).map { row in
            Booking(
                id: try row.decode("booking_id"),
                user: Int(try row.decode("member", as: Int32.self)),
                classID: try row.decode("class_id"),
                seats: Int(try row.decode("seats", as: Int32.self)),
                unit: try row.decode("unit"),
                amount: try row.decode("amount"),
                returned: try row.decode("returned"),
                cancelledBy: try row.decode("cancelled_by"),
                isPromoted: try row.decode("promoted")
            )
        }
        let seats = try await database.root.query(
            """
            SELECT s.class_id, s.sold, s.reserved, c.status = 'cancelled' AS is_cancelled
            FROM wallet.class_seats AS s INNER JOIN wallet.classes AS c ON s.class_id = c.class_id
            WHERE s.class_id = ANY(\(plan.classIDs)) AND s.environment = 'production'
            """
        ).map { row in
            let seats = Seats(
                sold: Int(try row.decode("sold", as: Int32.self)),
                held: Int(try row.decode("reserved", as: Int32.self)),
                isCancelled: try row.decode("is_cancelled")
            )
            return (try row.decode("class_id", as: String.self), seats)
        }
        self.seats = Dictionary(uniqueKeysWithValues: seats)
    }

    /// Returns the expected balances: the recorded sums less the bookings, by user and unit.
    func balances(_ sums: [String: Int64]) -> [String: Int64] {
        self.bookings.reduce(into: sums) { balances, booking in
            guard booking.unit != "-" else { return }
            balances["\(booking.user) \(booking.unit)", default: 0] += (booking.returned ?? 0) - booking.amount
        }
    }
}
