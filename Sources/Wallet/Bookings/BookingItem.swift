import Foundation
import Postgres

/// One thing that `wallet.book_batch` decides.
struct BookingItem: Sendable {
    enum Operation: Sendable {
        case book(NewBooking, key: String)
        case quote(NewBooking)
        case cancel(UUID)
    }

    let caller: Caller
    let environment: WalletEnvironment
    let operation: Operation
    let bookingID: UUID

    init(caller: Caller, environment: WalletEnvironment, operation: Operation) {
        self.caller = caller
        self.environment = environment
        self.operation = operation
        if case .cancel(let id) = operation {
            self.bookingID = id
        } else {
            self.bookingID = .timeOrdered()
        }
    }

    private var name: String {
        switch self.operation {
        case .book: "book"
        case .quote: "quote"
        case .cancel: "cancel"
        }
    }

    private var key: String? {
        if case .book(_, let key) = self.operation { key } else { nil }
    }

    private var new: NewBooking? {
        switch self.operation {
        case .book(let new, _), .quote(let new): new
        case .cancel: nil
        }
    }

    /// Writes the one call that decides a batch; who the callers are is found out on the way.
    ///
    /// - Parameters:
    ///   - items: The batch, in order of arrival.
    ///   - waits: Whether it waits for wallets and seats that somebody else holds.
    /// - Returns: The call.
    static func batch(_ items: [BookingItem], waits: Bool) -> Query {
        """
        SELECT o.*, o.unit::text AS unit_name FROM wallet.book_batch(ARRAY(
            SELECT ROW(
                i.account, i.environment, i.operation, i.booking, i.key, i.class, i.seats, i.pay_with, i.max_amount
            )::wallet.booking_request
            FROM unnest(
                wallet.admit_users(
                    \(items.map(\.caller.user.rawValue)), \(items.map(\.caller.issuedAt)),
                    \(items.map(\.caller.isAnonymous))
                ),
                \(items.map(\.environment.rawValue))::wallet.environment[],
                \(items.map(\.name))::text[], \(items.map(\.bookingID))::uuid[], \(items.map(\.key))::text[],
                \(items.map { $0.new?.classID })::text[],
                \(items.map { $0.new.map { Int32(clamping: $0.seats) } })::integer[],
                \(items.map { $0.new?.payWith })::text[], \(items.map { $0.new?.maxAmount })::bigint[]
            ) WITH ORDINALITY AS i (
                account, environment, operation, booking, key, class, seats, pay_with, max_amount, place
            )
            ORDER BY i.place
        ), \(waits)) AS o
        """
    }
}
