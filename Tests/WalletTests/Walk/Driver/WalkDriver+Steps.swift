import Foundation
import Postgres
import Stores
import TestSupport
import Wallet

extension WalkDriver {
    /// Performs a step in the database: as the service, or through the views of schema admin for administrators' steps.
    func perform(_ step: WalkStep) async throws -> WalkAnswer {
        let wallet = self.database.wallet
        return try await WalkAnswer(catching: {
            switch step {
            case .apply(let fact, let user):
                return .fact(try await wallet.apply(fact, submittedBy: self.user(user)))
            case .tell(let fact, let user):
                let owners = [self.user(user).rawValue]
                return .fact(try await wallet.apply(StoreEvent.AttributedFact(fact: fact, owners: owners)))
            case .signIn(let user, let isAnonymous):
                try await wallet.admit(try await self.caller(user, isAnonymous: isAnonymous))
                return .said("admitted")
            case .merge(let anonymous, let user):
                let guest = try await self.caller(anonymous, isAnonymous: true)
                try await wallet.merge(guest, into: try await self.caller(user, isAnonymous: false))
                return .said("merged")
            case .book(let new, let key, let idempotencyKey):
                return .receipt(
                    try await wallet.book(new, for: self.user(key.user), in: key.environment, key: idempotencyKey)
                )
            case .quote(let new, let key):
                return .quote(try await wallet.quote(new, for: self.user(key.user), in: key.environment))
            case .cancel(let booking, let key):
                let id = booking.flatMap { self.names.bookingIDs[$0] } ?? UUID()
                return .receipt(try await wallet.cancel(id, for: self.user(key.user), in: key.environment))
            case .sweep:
                _ = try await wallet.sweep(limit: 100_000)
                // Later facts and moves may change days that are already summed, before the sums are compared.
                _ = try await wallet.sumDays(limit: 100_000)
            case .advance(let hours): try await self.database.advance(Double(hours) * 3_600)
            case .read: break
            default:
                if let answer = try await self.serve(step) { return answer }
                return try await self.administrate(step)
            }
            return .said("done")
        })
    }

    /// Returns a user id, in upper case every other time: a UUID identifies the same user in either case.
    func user(_ number: Int) -> UserID {
        let id = self.names.userIDs[number]
        return UserID(rawValue: self.isShouting ? id.uppercased() : id)
    }

    private func caller(_ user: Int, isAnonymous: Bool) async throws -> Caller {
        Caller(self.user(user), issuedAt: try await self.database.wallet.now(), isAnonymous: isAnonymous)
    }

    /// Performs steps of the service for the studio and for waitlists.
    private func serve(_ step: WalkStep) async throws -> WalkAnswer? {
        let wallet = self.database.wallet
        switch step {
        case .join(let asked, let key):
            let request = WaitlistRequest(seats: asked.seats, payWith: asked.payWith, maxAmount: asked.maxAmount)
            // The answer lists the waitlist entries under the id of the user who owns the account.
            let user = self.user(self.books.root(key.user))
            let receipt = try await wallet.joinWaitlist(request, of: asked.classID, for: user, in: key.environment)
            return .said("\(receipt.isNew ? "joined" : "waits already"), place \(receipt.waitlist.place)")
        case .leave(let classID, let key):
            try await wallet.leaveWaitlist(of: classID, for: self.user(key.user), in: key.environment)
        case .promote(let classID, let environment):
            let promotion = try await wallet.promoteNext(ClassSeats(classID: classID, environment: environment))
            return .said("promotion: \(promotion)")
        case .consume(let transactionID, let reference, let key):
            let user = self.user(key.user)
            let use = try await wallet.consumePass(transactionID, reference: reference, for: user, in: key.environment)
            return .said(
                (use.replayed ? "replayed " : "") + "consumed, \(use.remaining) left"
                    + (use.isConsumed == (use.remaining == 0) ? "" : ", untrue")
            )
        case .putClass(let id, let terms, let key):
            let definition = ClassDefinition(terms)
            return .session(try await wallet.putClass(id, definition, by: .clerk, key: key, in: .production))
        case .cancelClass(let id, let reason, let key):
            _ = try await wallet.cancelClass(id, reason: reason, by: .clerk, key: key, in: .production)
        case .putPolicy(let id, let policy): return .said(try await self.put(policy, id))
        case .mark(let bookings, let classID, let attendance, let environment):
            return .said(try await self.mark(bookings, of: classID, attendance, in: environment))
        case .checkIn(let booking, let key):
            let id = booking.flatMap { self.names.bookingIDs[$0] } ?? UUID()
            let user = self.user(self.books.root(key.user))
            let checked = try await wallet.checkIn(id, for: Caller(admitted: user), in: key.environment)
            return .said(checked.attendance == "attended" ? "checked in" : checked.attendance)
        case .waive(let booking): try await self.waive(booking)
        case .settle(let limit): return .said("settled \(try await wallet.settleClasses(limit: limit))")
        case .endUnlimited: try await self.database.endUnlimited()
        default: return nil
        }
        return .said("done")
    }
}

extension ClassDefinition {
    fileprivate init(_ terms: ModelTerms) {
        let limits = terms.limits
        self.init(
            title: "A class",
            startsAt: terms.startsAt,
            endsAt: terms.endsAt,
            capacity: terms.capacity,
            price: terms.price,
            cancellation: CancellationPolicy(freeMinutesBefore: terms.freeMinutesBefore),
            limits: ClassLimits(
                maxSeats: limits.maxSeats,
                daysAhead: limits.daysAhead,
                opensMinutesBefore: limits.opensMinutesBefore,
                closesMinutesBefore: limits.closesMinutesBefore,
                maxOverlaps: limits.maxOverlaps
            ),
            waitlist: WaitlistPolicy(cutoffMinutes: limits.cutoffMinutes),
            policyID: terms.policyID
        )
    }
}
