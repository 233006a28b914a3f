import Foundation
import Stores
import Wallet

extension Books {
    /// Performs a step in the model.
    ///
    /// - Parameters:
    ///   - step: The step to perform.
    ///   - settled: The bookings that the database chose for a batch to settle; the model checks that choice.
    ///   - atOnce: A Boolean value that indicates whether the step happens at the same instant as the one before it, as
    ///     in a group.
    /// - Returns: The answer that the database must give.
    mutating func take(_ step: WalkStep, settled: [Int] = [], atOnce: Bool = false) -> ModelAnswer {
        if !atOnce { self.now.addTimeInterval(0.001) }
        let answer = self.act(step.resolved(self.root), settled: settled)
        if case .refused = answer { return answer }
        self.noteName(by: step)
        return answer
    }

    private mutating func act(_ step: WalkStep, settled: [Int]) -> ModelAnswer {
        switch step {
        case .apply(let fact, let user):
            return .fact(self.apply(fact, by: user), transactionID: fact.transactionID)
        case .tell(let fact, let user):
            return .fact(self.apply(fact, by: user, isNamed: true), transactionID: fact.transactionID)
        case .signIn(let user, let isAnonymous):
            return self.admit(user, isAnonymous: isAnonymous).map(ModelAnswer.refused) ?? .said("admitted")
        case .merge(let anonymous, let user):
            return self.merge(anonymous, into: user).map(ModelAnswer.refused) ?? .said("merged")
        case .book(let new, let key, let idempotencyKey):
            return ModelAnswer(self.book(new, key, idempotencyKey: idempotencyKey), ModelAnswer.receipt)
        case .quote(let new, let key):
            return ModelAnswer(self.quote(new, key)) { .quote($0.0, $0.1, key) }
        case .cancel(let booking, let key):
            return ModelAnswer(self.cancel(booking, key), ModelAnswer.receipt)
        case .join(let asked, let key):
            return ModelAnswer(self.join(asked, key)) {
                .said("\($0.isNew ? "joined" : "waits already"), place \($0.place)")
            }
        case .leave(let classID, let key):
            return ModelAnswer(self.leave(classID, key)) { .done }
        case .promote(let classID, let environment): return .said("promotion: " + self.promote(classID, environment))
        case .consume(let transactionID, let reference, let key):
            return ModelAnswer(self.consume(transactionID, reference, key)) {
                .said(($0.replayed ? "replayed " : "") + "consumed, \($0.remaining) left")
            }
        case .settle(let limit): return .said(self.settle(settled, limit: limit))
        case .advance(let hours): self.now.addTimeInterval(Double(hours) * 3_600)
        case .sweep: self.sweep()
        case .endUnlimited:
            self.sweep()
            self.endUnlimited()
        case .read: break
        default: return self.administrate(step)
        }
        return .done
    }

    private mutating func administrate(_ step: WalkStep) -> ModelAnswer {
        var refusal: ModelRefusal?
        switch step {
        case .adjust(let adjustment, let reference, let expiresAt, let reason):
            refusal = self.adjust(adjustment, reference: reference, expiresAt: expiresAt, reason: reason)
        case .operate(let asked, let key):
            return ModelAnswer(self.adjust(asked, key: key), ModelAnswer.adjusted)
        case .importBalance(let balance, let source): return .said(self.importBalance(balance, from: source))
        case .setWallet(let user, let credits, let visits, let reason):
            refusal = self.setWallet(user, credits: credits, visits: visits, reason: reason)
        case .putClass(let id, let terms, let key):
            return ModelAnswer(self.putClass(id, terms, key: key), ModelAnswer.session)
        case .putPolicy(let id, let policy): return .said(self.putPolicy(id, policy))
        case .mark(let bookings, let classID, let attendance, let environment):
            return ModelAnswer(self.mark(bookings, of: classID, attendance, in: environment), ModelAnswer.said)
        case .checkIn(let booking, let key): return ModelAnswer(self.checkIn(booking, key), ModelAnswer.said)
        case .waive(let booking): refusal = self.waive(booking)
        case .cancelClass(let id, let reason, let key):
            refusal = self.cancelClass(id, reason: reason, key: key)
        case .putProduct(let product): self.put(product)
        default: break
        }
        return refusal.map(ModelAnswer.refused) ?? .done
    }
}
