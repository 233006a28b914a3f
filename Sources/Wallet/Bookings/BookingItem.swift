import Foundation
import Postgres

/// An item that `wallet.book_batch` decides.
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
    /// The caller's cached account; `nil` to find the account during the decision.
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

    /// The same item without the cached account, so that the user and the token are looked up.
    var withoutAccount: BookingItem {
        var item = self
        item.account = nil
        return item
    }

    /// Returns the one call that decides a batch; if an account is not cached, the call looks up all of them.
    ///
    /// - Parameters:
    ///   - items: The batch, in order of arrival.
    ///   - waits: A Boolean value that indicates whether to wait for wallets and seats that another transaction holds.
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
