import Foundation
import Postgres

/// The decision of `wallet.book_batch` about one item.
struct BookingOutcome: Sendable {
    private let row: Row
    private let status: Int
    /// The index of the item in its batch, from 0.
    let place: Int
    /// A Boolean value that indicates whether another transaction held the item's wallet or seats, so that nothing was
    /// decided.
    let isBusy: Bool
    /// A Boolean value that indicates whether the item's account does not exist or no longer belongs to the caller.
    var isUnauthenticated: Bool { self.status == 401 }

    init(row: Row) throws(PostgresError) {
        self.row = row
        self.status = Int(try row.decode("status", as: Int32.self))
        self.isBusy = self.status == 503 ? try row.decode("slug", as: String.self) == "wallet-busy" : false
        self.place = Int(try row.decode("item", as: Int32.self)) - 1
    }

    /// Decodes a booking and the balance after it, or throws the refusal.
    ///
    /// - Parameter made: The id for the new booking; `nil` for a cancellation. A booking with this id is not a replay,
    ///   even if an earlier attempt created it and its answer was lost.
    /// - Returns: The booking and the balance.
    /// - Throws: The refusal.
    func receipt(made: UUID? = nil) throws -> BookingReceipt {
        try self.throwRefusal()
        return try Self.reading {
            let booking = try Booking(row: self.row, slices: LotSlice.paying(self.row))
            return BookingReceipt(
                booking: booking,
                balance: try BalanceSummary(row: self.row),
                replayed: booking.bookingID == made ? false : try self.row.decode("replayed")
            )
        }
    }

    /// Decodes the result that a booking would have, or throws the refusal.
    func quote() throws -> BookingQuote {
        try self.throwRefusal()
        return try Self.reading {
            BookingQuote(
                payable: true,
                unit: try self.row.decodeUnit("unit_name"),
                amount: try self.row.decode("amount"),
                lots: try LotSlice.paying(self.row),
                balanceAfter: try BalanceSummary(row: self.row)
            )
        }
    }

    /// Decodes the account of a new booking, to cache it for later bookings; returns `nil` for any other outcome.
    func account() throws(PostgresError) -> AdmittedAccount.Identity? {
        guard self.status == 201 else { return nil }
        return AdmittedAccount.Identity(
            id: try self.row.decode("account_id"),
            openedAt: try self.row.decode("opened_at")
        )
    }

    private func throwRefusal() throws {
        guard self.status >= 400 else { return }
        throw try Self.reading {
            WalletError(
                status: self.status,
                slug: try self.row.decode("slug"),
                membersJSON: try self.row.decode("detail", as: JSONText?.self)?.rawValue,
                retryAfter: self.status == 503 ? 2 : nil
            )
        }
    }

    private static func reading<Value>(_ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as PostgresError {
            throw WalletError(error)
        }
    }
}

extension BalanceSummary {
    init(row: Row) throws {
        self.init(
            credits: try row.decode("credits"),
            visits: try row.decode("visits"),
            version: try row.decode("version")
        )
    }
}

extension LotSlice {
    /// Decodes the lots that pay, and the amount of each, from an outcome.
    fileprivate static func paying(_ row: Row) throws(PostgresError) -> [LotSlice] {
        let (lots, amounts): ([UUID], [Int64]) = (try row.decode("lot_ids"), try row.decode("lot_amounts"))
        return zip(lots, amounts).map { LotSlice(lotID: $0, amount: $1) }
    }
}

extension Booking {
    /// Decodes a booking from a row of the view `booking_details`.
    init(row: Row) throws {
        try self.init(row: row, slices: row.decodeJSON("slices"))
    }

    fileprivate init(row: Row, slices: [LotSlice]) throws {
        let id: UUID = try row.decode("booking_id")
        let unit: CreditUnit? = try row.decodeUnit("unit_name")
        let returned: Int64? = try row.decode("returned")
        self.init(
            bookingID: id,
            classID: try row.decode("class_id"),
            classTitle: try row.decode("class_title"),
            startsAt: try row.decode("starts_at"),
            status: try row.decode("booking_status"),
            seats: Int(try row.decode("seats", as: Int32.self)),
            unit: unit,
            amount: try row.decode("amount"),
            slices: slices,
            confirmationCode: "HB" + id.wireText.suffix(8).uppercased(),
            cancellation: Cancellation(
                freeUntil: try row.decode("free_until"),
                freeMinutesBefore: Int(try row.decode("free_minutes_before", as: Int32.self))
            ),
            createdAt: try row.decode("created_at"),
            cancelledAt: try row.decode("cancelled_at"),
            lateCancel: try row.decode("late_cancel"),
            cancelledBy: try row.decode("cancelled_by"),
            returned: returned.map { Returned(unit: unit, amount: $0) },
            moved: try row.decode("moved"),
            fromWaitlist: try row.decode("promoted")
        )
    }
}
