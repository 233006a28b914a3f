public import Foundation
import Postgres

extension Wallet {
    /// Books seats and pays for them, once per key; waiting requests are decided in one batch.
    ///
    /// SQL: `functions/bookings/book_batch.sql`.
    ///
    /// - Parameters:
    ///   - new: The booking to make.
    ///   - caller: The user who books and pays.
    ///   - environment: The environment of the wallet that pays and of the booked seats.
    ///   - key: The request's Idempotency-Key; repeating the key always returns the same booking.
    ///   - id: The id for a new booking; no other call may have used it.
    /// - Returns: The booking and the balance after it.
    /// - Throws: ``WalletError``: 401 `unauthenticated` if the caller's token is no longer valid; 402
    ///   `insufficient-credits`; 403 `account-blocked`, `booking-blocked`; 404 `class-not-found`; 409 `class-closed`, `already-booked`,
    ///   `class-full`, `payment-not-accepted`, `price-changed`; 422 `idempotency-key-reused`; 503 `wallet-busy`,
    ///   `overloaded`, `database-unavailable`.
    public func book(
        _ new: BookingRequest,
        for caller: Caller,
        in environment: WalletEnvironment,
        key: String,
        id: UUID = .timeOrdered()
    ) async throws -> BookingResult {
        let item = BookingItem(caller: caller, environment: environment, operation: .book(new, key: key, id: id))
        defer { self.writes.increment() }
        let receipt = try await self.bookings.decide(item).receipt(made: item.bookingID)
        self.metrics.noteDebit(of: receipt.booking.amount, in: receipt.booking.unit, replayed: receipt.replayed)
        return receipt
    }

    /// Returns the result that a booking would have, by the same rules, and changes nothing.
    ///
    /// SQL: `functions/bookings/book_batch.sql`.
    ///
    /// - Parameters:
    ///   - new: The booking to check.
    ///   - caller: The user who would pay.
    ///   - environment: The environment of the wallet that would pay.
    /// - Returns: The price and the remaining balance.
    /// - Throws: ``WalletError`` as for a booking, without the refusals about keys.
    public func quote(
        _ new: BookingRequest,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> BookingQuote {
        let item = BookingItem(caller: caller, environment: environment, operation: .quote(new)).withoutAccount
        let outcome = try await self.queryOne(BookingItem.batch([item], waits: false)) { try BookingOutcome(row: $0) }
        return try outcome.quote()
    }

    /// Cancels a booking by the policy at the time of booking; cancelling again returns the same result.
    ///
    /// SQL: `functions/bookings/rules.sql`.
    ///
    /// - Parameters:
    ///   - id: The booking.
    ///   - caller: The owner of the booking.
    ///   - environment: The environment of the user's wallet.
    /// - Returns: The cancelled booking with the returned amount, and the balance after it.
    /// - Throws: ``WalletError``: 401 `unauthenticated`; 404 `booking-not-found`; 409 `not-cancellable`; 503 as for
    ///   booking.
    public func cancel(
        _ id: UUID,
        for caller: Caller,
        in environment: WalletEnvironment
    ) async throws -> BookingResult {
        let item = BookingItem(caller: caller, environment: environment, operation: .cancel(id))
        defer { self.writes.increment() }
        return try await self.bookings.decide(item).receipt()
    }
}

/// A client's request for a booking.
///
/// The request contains no amount: the class determines the price.
public struct BookingRequest: Decodable, Sendable, Equatable {
    /// The class.
    public var classID: String
    /// The number of seats, 1 to 100; 1 by default.
    public var seats: Int
    /// `unlimited`, `visits`, `credits` or a lot id; `nil` lets the wallet choose in that order.
    public var payWith: String?
    /// The maximum price in the unit of payment; a higher price is refused as `price-changed`.
    public var maxAmount: Int64?

    /// Creates a request for a booking.
    public init(classID: String, seats: Int = 1, payWith: String? = nil, maxAmount: Int64? = nil) {
        self.classID = classID
        self.seats = seats
        self.payWith = payWith
        self.maxAmount = maxAmount
    }

    /// Decodes a request; the default is one seat.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.classID = try container.decode(String.self, forKey: .classID)
        self.seats = try container.decodeIfPresent(Int.self, forKey: .seats) ?? 1
        self.payWith = try container.decodeIfPresent(String.self, forKey: .payWith)
        self.maxAmount = try container.decodeIfPresent(Int64.self, forKey: .maxAmount)
    }

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case seats
        case payWith = "pay_with"
        case maxAmount = "max_amount"
    }
}

/// A booking together with the balance after it.
public struct BookingResult: Sendable {
    /// The booking in its current state.
    public var booking: Booking
    /// The wallet's current balance.
    public var balance: BalanceSummary
    /// A Boolean value that indicates whether the request repeated an earlier key; the repetition changed nothing.
    public var replayed: Bool
}

/// A booking in its current state.
public struct Booking: Sendable {
    /// The cancellation policy at the time of booking, and the resulting deadline.
    public struct Cancellation: Sendable {
        /// The deadline for a full refund; the start of the class if the class was moved.
        public var freeUntil: Date
        /// The number of minutes before the start at which free cancellation ends.
        public var freeMinutesBefore: Int
    }

    /// The amount that a cancellation returned.
    public struct Returned: Sendable, Equatable {
        /// The unit of the returned amount; `nil` for a booking that an unlimited plan covered.
        public var unit: CreditUnit?
        /// The returned amount.
        public var amount: Int64
    }

    /// The booking's id; ids sort by time.
    public var bookingID: UUID
    /// The id of the booked class.
    public var classID: String
    /// The name of the class.
    public var classTitle: String
    /// The start of the class.
    public var startsAt: Date
    /// `booked` or `cancelled`.
    public var status: String
    /// The number of seats.
    public var seats: Int
    /// The unit of the price; `nil` if an unlimited plan covers the booking.
    public var unit: CreditUnit?
    /// The total price.
    public var amount: Int64
    /// The lots that paid, in the order in which they were used.
    public var slices: [LotSlice]
    /// A short code to show at the door.
    public var confirmationCode: String
    /// The cancellation policy of the booking.
    public var cancellation: Cancellation
    /// The time of booking.
    public var createdAt: Date
    /// The time of cancellation.
    public var cancelledAt: Date?
    /// A Boolean value that indicates whether the booking was cancelled too late for a refund.
    public var lateCancel: Bool
    /// The party that cancelled the booking: `user`, `studio` or `wallet`; `nil` if it is not cancelled.
    public var cancelledBy: String?
    /// The amount that the cancellation returned; `nil` if the booking is not cancelled.
    public var returned: Returned?
    /// A Boolean value that indicates whether the class was moved after the booking; cancellation is then free until
    /// the new start.
    public var moved: Bool
    /// A Boolean value that indicates whether the seats came from the waitlist.
    public var fromWaitlist: Bool
    /// `unmarked`, `attended`, `no_show` or `excused`.
    public var attendance: String
    /// The fee in credits for a late cancellation or a no-show; 0 if there is none or it was withdrawn.
    public var fee: Int64
    /// A Boolean value that indicates whether a late cancellation or a no-show counts as a strike.
    public var strike: Bool
}

/// The part of a booking's price that one lot paid.
public struct LotSlice: Codable, Sendable, Equatable {
    /// The lot.
    @WireUUID public var lotID: UUID
    /// The amount that the lot paid.
    public var amount: Int64

    enum CodingKeys: String, CodingKey {
        case lotID = "lot_id"
        case amount
    }
}

extension Booking {
    /// The columns of `wallet.booking_details AS b` that ``init(row:)`` reads.
    ///
    /// PostgreSQL computes only selected columns, and some need a lookup of their own.
    static let columns = """
        b.booking_id, b.class_id, b.class_title, b.starts_at, b.status AS booking_status, b.seats,
        b.unit::text AS unit_name, b.amount, b.slices, b.free_until, b.free_minutes_before, b.created_at,
        b.cancelled_at, b.late_cancel, b.cancelled_by, b.returned, b.moved, b.promoted, b.attendance, b.fee, b.strike
        """

    /// Decodes a booking from a row of the view `booking_details`.
    init(row: Row) throws {
        let slices = try row.decodeRows("slices").map {
            LotSlice(lotID: try UUID(cell: $0[0]), amount: try Int64(cell: $0[1]))
        }
        try self.init(row: row, slices: slices)
    }

    init(row: Row, slices: [LotSlice]) throws {
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
            fromWaitlist: try row.decode("promoted"),
            attendance: try row.decode("attendance", as: String?.self) ?? "unmarked",
            fee: try row.decode("fee", as: Int64?.self) ?? 0,
            strike: try row.decode("strike", as: Bool?.self) ?? false
        )
    }
}

/// The result that a booking would have.
public struct BookingQuote: Encodable, Sendable {
    /// Always true, because a refusal is thrown instead.
    public var payable: Bool
    /// The unit of the price; `nil` if an unlimited plan covers the booking.
    @Nullable public var unit: CreditUnit?
    /// The total price.
    public var amount: Int64
    /// The lots that would pay.
    public var lots: [LotSlice]
    /// The wallet's balance after the booking.
    public var balanceAfter: BalanceSummary

    enum CodingKeys: String, CodingKey {
        case payable, unit, amount, lots
        case balanceAfter = "balance_after"
    }
}
