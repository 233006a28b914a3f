import Foundation
import Postgres

/// One thing that `wallet.book_batch` decides.
struct BookingItem: Sendable {
    enum Operation: Sendable {
        case book(NewBooking, key: String, id: UUID)
        case quote(NewBooking)
        case cancel(UUID)
    }

    let caller: Caller
    let environment: WalletEnvironment
    let operation: Operation
    let bookingID: UUID
    /// The caller's account, where it is remembered; nil for finding it with the decision.
    private(set) var account: AdmittedAccount.Identity?

    init(caller: Caller, environment: WalletEnvironment, operation: Operation) {
        self.caller = caller
        self.environment = environment
        self.operation = operation
        self.account = caller.account?.known
        switch operation {
        case .book(_, _, let id), .cancel(let id): self.bookingID = id
        case .quote: self.bookingID = .timeOrdered()
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
        if case .book(_, let key, _) = self.operation { key } else { nil }
    }

    private var new: NewBooking? {
        switch self.operation {
        case .book(let new, _, _), .quote(let new): new
        case .cancel: nil
        }
    }

    /// The same item for a caller whose user and token are looked at.
    var withoutAccount: BookingItem {
        var item = self
        item.account = nil
        return item
    }

    /// Writes the one call that decides a batch; where an account is not remembered, all are found on the way.
    ///
    /// - Parameters:
    ///   - items: The batch, in order of arrival.
    ///   - waits: Whether it waits for wallets and seats that somebody else holds.
    /// - Returns: The call.
    static func batch(_ items: [BookingItem], waits: Bool) -> Query {
        var requests = RowArray()
        for item in items { item.write(to: &requests) }
        let callers = items.allSatisfy { $0.account != nil } ? nil : items.map(\.caller)
        return """
            SELECT o.*, o.unit::text AS unit_name
            FROM wallet.book_batch(
                \(requests)::wallet.booking_request[], \(waits), \(items.map(\.account?.openedAt)),
                \(callers?.map(\.user.rawValue)), \(callers?.map(\.issuedAt)), \(callers?.map(\.isAnonymous)),
                \(callers?.map(\.user.appAccountToken))
            ) AS o
            """
    }

    /// Adds the item as a `wallet.booking_request`.
    private func write(to requests: inout RowArray) {
        let new = self.new
        requests.addRow { row in
            row.add(self.account?.id)
            row.add(self.environment.rawValue)
            row.add(self.name)
            row.add(self.bookingID.wireText)
            row.add(self.key)
            row.add(new?.classID)
            row.add(new.map { Int64(Int32(clamping: $0.seats)) })
            row.add(new?.payWith)
            row.add(new?.maxAmount)
        }
    }
}
