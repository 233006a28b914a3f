import Foundation
import Metrics
import Postgres

/// Decides bookings and cancellations in batches.
///
/// An item whose wallet or seats another transaction holds is skipped. A second connection decides it and waits for the
/// locks. So a transaction left open in psql blocks only the bookings of the wallets that it holds.
struct BookingQueue: Sendable {
    enum Decision: Sendable {
        case decided(BookingOutcome)
        case busy
    }

    let batches: BatchQueue<BookingItem, Decision>
    private let waiting: BatchQueue<BookingItem, BookingOutcome>

    init(pool: Pool, configuration: BatchingConfiguration) {
        let executor = BookingExecutor(pool: pool)
        self.batches = BatchQueue(
            configuration,
            metrics: QueueMetrics(),
            tracing: QueueTracing(pool.tracer, queue: "bookings"),
            stay: { turn in await pool.withPinnedConnection(turn) },
            decide: { items in
                await executor.decide(items, waits: false).map { result in
                    result.map { $0.isBusy ? .busy : .decided($0) }
                }
            }
        )
        var patience = configuration
        patience.workers = 1
        let tracing = QueueTracing(pool.tracer, queue: "waiting bookings")
        self.waiting = BatchQueue(patience, tracing: tracing) { items in await executor.decideWaiting(items) }
    }

    /// Waits in the queue and for the decision.
    ///
    /// - Parameter item: The item to decide.
    /// - Returns: The decision, which may be a refusal.
    /// - Throws: ``WalletError`` 503 `overloaded`, `wallet-busy`, `database-unavailable`.
    func decide(_ item: BookingItem) async throws(WalletError) -> BookingOutcome {
        let outcome = try await self.decideOnce(item)
        guard outcome.isUnauthenticated, item.account != nil else { return outcome }
        // The cached account no longer belongs to the caller. The database finds out whether the token has another
        // account.
        item.caller.account?.remember(nil)
        return try await self.decideOnce(item.withoutAccount)
    }

    private func decideOnce(_ item: BookingItem) async throws(WalletError) -> BookingOutcome {
        switch try await self.batches.submit(item) {
        case .decided(let outcome): outcome
        case .busy: try await self.waiting.submit(item)
        }
    }

    /// The number of items that wait for a batch.
    var depth: Int { self.batches.depth }
}

/// The metrics of the booking queue: the size of batches, and the time that items wait for their batch to start.
struct QueueMetrics: Sendable {
    private let batchSize = Recorder(label: "wallet_booking_batch_size")
    private let wait = Metrics.Timer(label: "wallet_booking_queue_wait_seconds")

    /// Records the start of a batch.
    ///
    /// - Parameters:
    ///   - arrivals: The arrival time of each item.
    ///   - instant: The start of the batch.
    func note(_ arrivals: some Collection<ContinuousClock.Instant>, at instant: ContinuousClock.Instant) {
        self.batchSize.record(arrivals.count)
        for arrival in arrivals { self.wait.record(duration: arrival.duration(to: instant)) }
    }
}

/// Sends batches of bookings and cancellations to the database.
private struct BookingExecutor: Sendable {
    let pool: Pool

    /// Decides a batch in one call; if the call fails, decides each item alone under the same key.
    ///
    /// - Parameters:
    ///   - items: The batch, in order of arrival.
    ///   - waits: A Boolean value that indicates whether to wait for wallets and seats that another transaction holds.
    /// - Returns: The outcome of each item, in order; after a failure, nothing was decided.
    func decide(_ items: [BookingItem], waits: Bool) async -> [Result<BookingOutcome, WalletError>] {
        do {
            return try await self.send(items, waits: waits).map { .success($0) }
        } catch {
            guard items.count > 1, Self.mayBeOneItems(error) else {
                return items.map { _ in .failure(WalletError(error)) }
            }
            return await self.decideSingly(items, waits: waits)
        }
    }

    /// Decides items that were busy before, and waits for the locks; an item whose lock is held for too long is busy
    /// again.
    func decideWaiting(_ items: [BookingItem]) async -> [Result<BookingOutcome, WalletError>] {
        do {
            return try await self.send(items, waits: true).map { .success($0) }
        } catch {
            // The error does not name the wallet that was locked for too long, so this decides the others without
            // waiting.
            return await self.decide(items, waits: error.code != .lockTimeout)
        }
    }

    private func decideSingly(_ items: [BookingItem], waits: Bool) async -> [Result<BookingOutcome, WalletError>] {
        var results: [Result<BookingOutcome, WalletError>] = []
        var outage: WalletError?
        for item in items {
            if let outage {
                results.append(.failure(outage))
                continue
            }
            do {
                results += try await self.send([item], waits: waits).map { .success($0) }
            } catch {
                results.append(.failure(WalletError(error)))
                // The next item would fail too, and the items that wait behind the batch need their answers in time.
                if !Self.mayBeOneItems(error) || error.code == .unavailable { outage = WalletError(error) }
            }
        }
        return results
    }

    /// Returns whether one item of the batch, or a connection lost during the call, may have caused a failure.
    private static func mayBeOneItems(_ error: PostgresError) -> Bool {
        switch error.code {
        case .overloaded, .cancelled: false
        // If a batch was given up, its items would only wait for the locks that it still holds.
        case .unavailable: !error.isUnsent && !error.isGivenUp
        default: true
        }
    }

    private func send(_ items: [BookingItem], waits: Bool) async throws(PostgresError) -> [BookingOutcome] {
        let rows = try await self.pool.query(BookingItem.batch(items, waits: waits))
        var outcomes: [BookingOutcome] = []
        for row in rows { outcomes.append(try BookingOutcome(row: row)) }
        // Outcomes arrive in any order, but each item has one.
        outcomes.sort { $0.place < $1.place }
        guard outcomes.map(\.place) == Array(items.indices) else {
            throw PostgresError(.decoding, "a batch was not answered item by item")
        }
        for (item, outcome) in zip(items, outcomes) where item.account == nil {
            if let account = try outcome.account() { item.caller.account?.remember(account) }
        }
        return outcomes
    }
}

/// An item that `wallet.book_batch` decides.
struct BookingItem: Sendable {
    enum Operation: Sendable {
        case book(BookingRequest, key: String, id: UUID)
        case quote(BookingRequest)
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

    private var new: BookingRequest? {
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
    func receipt(made: UUID? = nil) throws -> BookingResult {
        try self.throwRefusal()
        return try Self.reading {
            let booking = try Booking(row: self.row, slices: LotSlice.paying(self.row))
            return BookingResult(
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

extension LotSlice {
    /// Decodes the lots that pay, and the amount of each, from an outcome.
    fileprivate static func paying(_ row: Row) throws(PostgresError) -> [LotSlice] {
        let (lots, amounts): ([UUID], [Int64]) = (try row.decode("lot_ids"), try row.decode("lot_amounts"))
        return zip(lots, amounts).map { LotSlice(lotID: $0, amount: $1) }
    }
}
