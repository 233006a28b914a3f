import Foundation
import Postgres
import Synchronization
import TestSupport
import Wallet

/// Lets a crowd act at once and keeps what each was answered: an acknowledgement may never turn out untrue.
final class Crowd: Sendable {
    struct Answers {
        var bookings: [UUID: Int64] = [:]
        var keys: [String: Set<UUID>] = [:]
        var cancelled: Set<UUID> = []
        var seats: [UUID: (classID: String, seats: Int)] = [:]
        /// What each user's answers add up to, in credits.
        var credits: [Int: Int64] = [:]
        var refusals: [String: Int] = [:]
    }

    let database: WalkDatabase
    let users: [UserID]
    private let state = Mutex(Answers())

    init(_ database: WalkDatabase, users: [UserID]) {
        self.database = database
        self.users = users
    }

    var answers: Answers { self.state.withLock { $0 } }

    func act(_ acts: [CrowdPlan.Act]) async throws {
        let admin = try await self.database.database.connect()
        defer { admin.close() }
        try await admin.query("SET ROLE wallet_admin")
        for act in acts {
            do {
                try await self.act(act, admin)
            } catch let error as WalletError where error.status < 500 || error.slug == "wallet-busy" {
                self.state.withLock { $0.refusals[error.slug, default: 0] += 1 }
            } catch let error as PostgresError where error.code == .refused {
                self.state.withLock { $0.refusals[error.message ?? "", default: 0] += 1 }
            }
        }
    }

    private func act(_ act: CrowdPlan.Act, _ admin: Connection) async throws {
        let wallet = self.database.wallet
        switch act {
        case .apply(let fact, let user):
            let outcome = try await wallet.apply(fact, submittedBy: self.users[user])
            if outcome.verdict == .granted, !outcome.duplicate { self.add(outcome.amount, to: user) }
        case .book(let new, let user, let key):
            self.note(try await wallet.book(new, for: self.users[user], in: .production, key: key), user, key)
        case .quote(let new, let user): _ = try await wallet.quote(new, for: self.users[user], in: .production)
        case .cancelSome(let user): try await self.cancelSome(of: user)
        case .adjust(let amount, let user, let reference):
            try await admin.query(
                """
                INSERT INTO admin.adjustments (reference, user_id, amount, reason)
                VALUES (\(reference), \(self.users[user].rawValue), \(amount), 'goodwill')
                """
            )
            self.add(amount, to: user)
        case .resize(let id, let seats, let key): try await self.database.resize(id, seats: seats, key: key)
        case .sweep: _ = try await wallet.sweep(limit: 100)
        }
    }

    private func note(_ receipt: BookingReceipt, _ user: Int, _ key: String) {
        self.state.withLock { answers in
            let id = receipt.booking.bookingID
            answers.keys["\(user) \(key)", default: []].insert(id)
            guard !receipt.replayed else { return }
            answers.bookings[id] = receipt.booking.amount
            answers.seats[id] = (receipt.booking.classID, receipt.booking.seats)
            answers.credits[user, default: 0] -= receipt.booking.amount
        }
    }

    /// Cancels some booking of the user's that was acknowledged to anybody, perhaps one that was cancelled before.
    private func cancelSome(of user: Int) async throws {
        let mine = self.answers.keys.filter { $0.key.hasPrefix("\(user) ") }.flatMap(\.value)
        guard let id = mine.randomElement() else { return }
        let receipt = try await self.database.wallet.cancel(id, for: self.users[user], in: .production)
        guard !receipt.replayed else { return }
        self.state.withLock { _ = $0.cancelled.insert(id) }
        self.add(receipt.booking.returned?.amount ?? 0, to: user)
    }

    private func add(_ amount: Int64, to user: Int) {
        self.state.withLock { $0.credits[user, default: 0] += amount }
    }
}
