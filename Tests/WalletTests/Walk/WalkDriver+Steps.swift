import Foundation
import Postgres
import Wallet

extension WalkDriver {
    /// Takes a step in the database, as the service or, for what administrators do, through the views of admin.
    func perform(_ step: WalkStep) async throws -> WalkAnswer {
        let wallet = self.database.wallet
        return try await WalkAnswer(catching: {
            switch step {
            case .apply(let fact, let user):
                return .fact(try await wallet.apply(fact, submittedBy: self.user(user)))
            case .book(let new, let key, let idempotencyKey):
                return .receipt(
                    try await wallet.book(new, for: self.user(key.user), in: key.environment, key: idempotencyKey)
                )
            case .quote(let new, let key):
                return .quote(try await wallet.quote(new, for: self.user(key.user), in: key.environment))
            case .cancel(let booking, let key):
                let id = booking.flatMap { self.names.bookingIDs[$0] } ?? UUID()
                return .receipt(try await wallet.cancel(id, for: self.user(key.user), in: key.environment))
            case .sweep: _ = try await wallet.sweep(limit: 100_000)
            case .advance(let hours): try await self.database.advance(Double(hours) * 3_600)
            case .read: break
            default:
                if let answer = try await self.serve(step) { return answer }
                return try await self.administrate(step)
            }
            return .said("done")
        })
    }

    /// What the service does for the studio and its members, called in SQL.
    private func serve(_ step: WalkStep) async throws -> WalkAnswer? {
        let service = self.database.service
        switch step {
        case .join(let asked, let key):
            let isNew = try await service.join(asked, by: self.user(key.user), in: key.environment)
            return .said(isNew ? "joined" : "waits already")
        case .leave(let classID, let key):
            try await service.leave(classID, by: self.user(key.user), in: key.environment)
        case .promote(let classID, let environment):
            return .said("promotion: \(try await service.promote(classID, environment))")
        case .consume(let transactionID, let reference, let key):
            let use = try await service.consume(
                transactionID,
                reference: reference,
                by: self.user(key.user),
                in: key.environment
            )
            return .said(
                (use.replayed ? "replayed " : "") + "consumed, \(use.remaining) left"
                    + (use.isConsumed == (use.remaining == 0) ? "" : ", untrue")
            )
        case .putClass(let id, let terms, let key):
            try await service.put(id, terms, key: key)
            return .session(try await self.database.wallet.classSession(id, in: .production))
        case .cancelClass(let id, let reason, let key): try await service.cancelClass(id, reason: reason, key: key)
        case .settle(let limit): return .said("settled \(try await service.settle(limit: limit))")
        case .endUnlimited:
            _ = try await self.database.wallet.sweep(limit: 100_000)
            _ = try await self.database.wallet.sweepSubscriptions(limit: 100_000)
            try await service.endUnlimited()
        default: return nil
        }
        return .said("done")
    }

    func user(_ number: Int) -> UserID { UserID(rawValue: self.names.userIDs[number]) }
}
