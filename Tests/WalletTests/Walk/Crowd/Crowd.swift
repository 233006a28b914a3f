import Foundation
import Postgres
import Synchronization
import TestSupport
import Wallet

/// Lets a crowd act concurrently and records every answer: no acknowledged result may turn out false.
final class Crowd: Sendable {
    struct Answers {
        var bookings: [UUID: Int64] = [:]
        var keys: [String: Set<UUID>] = [:]
        var cancelled: Set<UUID> = []
        /// The number of times that a user was added to the waitlist of a class.
        var joins: [String: Int] = [:]
        /// The number of visits consumed without a booking, by purchase and reference; replays do not count.
        var consumed: [String: Int] = [:]
        var promotions: [Promotion: Int] = [:]
        var settled = 0
        /// The users that each store message named, by the message's id.
        var told: [String: Set<String>] = [:]
        /// The number of times that a class was delayed by an hour.
        var delays: [String: Int] = [:]
        /// The credits and visits granted, given and consumed by user and unit; bookings are added separately.
        var sums: [String: Int64] = [:]
        var refusals: [String: Int] = [:]
        /// The members' acts and answers in the order in which they happened.
        var history: [String] = []
    }

    /// The crowd member that is acting.
    @TaskLocal static var member = -1

    let database: WalkDatabase
    let users: [UserID]
    /// The running instances of the service; empty if the database's own wallet is used.
    private let instances: [Wallet]
    /// The wallet that may import balances.
    let owner: Wallet
    private let state = Mutex(Answers())

    init(_ database: WalkDatabase, users: [UserID], instances: [Wallet] = [], owner: Wallet? = nil) {
        self.database = database
        self.users = users
        self.instances = instances
        self.owner = owner ?? database.wallet
    }

    /// A randomly chosen instance of the service.
    var wallet: Wallet { self.instances.randomElement() ?? self.database.wallet }

    var answers: Answers { self.state.withLock { $0 } }

    func act(_ acts: [CrowdPlan.Act], member: Int = 0) async throws {
        try await Self.$member.withValue(member) { try await self.act(acts) }
    }

    private func act(_ acts: [CrowdPlan.Act]) async throws {
        let admin = try await self.database.database.connect()
        defer { admin.close() }
        try await admin.query("SET ROLE wallet_admin")
        for act in acts {
            self.log("does \(act)")
            try await self.refusable {
                switch act {
                case .adjust(let amount, let user, let reference): try await self.adjust(amount, user, reference, admin)
                case .upheaval(let upheaval): try await self.upheave(upheaval, admin)
                default: try await self.act(act)
                }
                self.log("is done")
            }
        }
    }

    /// Adds a line to the history, with the member's number and the real time.
    func log(_ line: String) {
        let time = Date().formatted(.iso8601.time(includingFractionalSeconds: true))
        self.note { $0.history.append("member \(Self.member): \(line) at \(time)") }
    }

    /// Runs work that may be refused but must not fail otherwise.
    func refusable(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as WalletError where error.status < 500 || error.slug == "wallet-busy" {
            self.refused(error.slug)
        } catch let error as PostgresError where error.code == .refused {
            self.refused(error.message ?? "")
        } catch let error as WalletError where error.status == 503 && !self.instances.isEmpty {
            // Counts serialization failures such as deadlocks separately; the caller may repeat the call.
            self.refused(error.slug)
        } catch let error as PostgresError where error.code == .serialization && !self.instances.isEmpty {
            self.refused("undecided")
        }
    }

    private func refused(_ slug: String) {
        self.note { $0.refusals[slug, default: 0] += 1 }
        self.log("is refused: \(slug)")
    }

    func note(_ change: (inout Answers) -> Void) { self.state.withLock { change(&$0) } }

    private func act(_ act: CrowdPlan.Act) async throws {
        let wallet = self.wallet
        switch act {
        case .apply(let fact, let user):
            let outcome = try await wallet.apply(fact, submittedBy: self.users[user])
            self.log("is answered \(outcome)")
            if outcome.verdict == .granted, !outcome.duplicate { self.add(outcome.amount, outcome.unit, to: user) }
        case .book(let new, let user, let key):
            self.note(try await wallet.book(new, for: self.users[user], in: .production, key: key), user, key)
        case .quote(let new, let user): _ = try await wallet.quote(new, for: self.users[user], in: .production)
        case .cancelSome(let user): try await self.cancelSome(of: user)
        case .resize(let id, let seats, let key): try await self.database.resize(id, seats: seats, key: key)
        case .sweep:
            _ = try await wallet.sweep(limit: 100)
            _ = try await wallet.sumDays(limit: 3)
        default: try await self.studio(act)
        }
    }

    private func adjust(_ amount: Int64, _ user: Int, _ reference: String, _ admin: Connection) async throws {
        try await admin.query(
            """
            INSERT INTO admin.adjustments (reference, user_id, amount, reason, new_user)
            VALUES (\(reference), \(self.users[user].rawValue), \(amount), 'goodwill', TRUE)
            """
        )
        self.add(amount, .credit, to: user)
    }

    private func note(_ receipt: BookingResult, _ user: Int, _ key: String) {
        self.note { answers in
            let id = receipt.booking.bookingID
            answers.keys["\(user) \(key)", default: []].insert(id)
            if !receipt.replayed { answers.bookings[id] = receipt.booking.amount }
        }
    }

    /// Cancels a random booking of the user, which may already be cancelled or come from the waitlist.
    private func cancelSome(of user: Int) async throws {
        let page = PageRequest(limit: 50, cursor: nil)
        let wallet = self.wallet
        let mine = try await wallet.bookings(of: self.users[user], in: .production, filter: nil, page: page)
        guard let id = mine.items.randomElement()?.bookingID else { return }
        let receipt = try await wallet.cancel(id, for: self.users[user], in: .production)
        if !receipt.replayed { self.note { _ = $0.cancelled.insert(id) } }
    }

    func add(_ amount: Int64, _ unit: CreditUnit?, to user: Int) {
        self.note { $0.sums["\(user) \(unit?.rawValue ?? "-")", default: 0] += amount }
    }
}
