import Foundation
import Postgres
import Stores
import Wallet

/// What the database answered to a step.
enum WalkAnswer {
    case fact(FactOutcome)
    case receipt(BookingReceipt)
    case quote(BookingQuote)
    case session(ClassSession)
    case done
    case refused(status: Int, slug: String, members: String?)

    /// What sort of answer it is, to count.
    var label: String {
        switch self {
        case .fact(let fact): fact.reason ?? (fact.duplicate ? "granted before" : "granted")
        case .receipt(let receipt):
            (receipt.replayed ? "replayed " : "") + receipt.booking.status + (receipt.booking.lateCancel ? " late" : "")
                + (receipt.booking.unit == nil ? " unlimited" : "")
        case .quote: "quote"
        case .session: "session"
        case .done: "done"
        case .refused(_, let slug, _): slug
        }
    }

    init(catching work: () async throws -> WalkAnswer) async throws {
        do {
            self = try await work()
        } catch let error as WalletError where error.status < 500 {
            self = .refused(status: error.status, slug: error.slug, members: error.membersJSON)
        } catch let error as PostgresError where error.code == .refused {
            self = .refused(status: error.httpStatus ?? 0, slug: error.message ?? "", members: error.detail)
        }
    }
}

/// What the model answered to a step.
enum ModelAnswer {
    case fact(ModelFactOutcome, transactionID: String)
    case receipt(ModelReceipt)
    case quote(ModelPayment, ModelReceipt, WalletKey)
    case session(ModelClass)
    case done
    case refused(ModelRefusal)

    init<Value>(_ result: Result<Value, ModelRefusal>, _ answer: (Value) -> ModelAnswer) {
        switch result {
        case .success(let value): self = answer(value)
        case .failure(let refusal): self = .refused(refusal)
        }
    }
}

extension Books {
    /// Takes a step in the model.
    mutating func take(_ step: WalkStep) -> ModelAnswer {
        switch step {
        case .apply(let fact, let user):
            return .fact(self.apply(fact, by: user), transactionID: fact.transactionID)
        case .book(let new, let key, let idempotencyKey):
            return ModelAnswer(self.book(new, key, idempotencyKey: idempotencyKey), ModelAnswer.receipt)
        case .quote(let new, let key):
            return ModelAnswer(self.quote(new, key)) { .quote($0.0, $0.1, key) }
        case .cancel(let booking, let key):
            return ModelAnswer(self.cancel(booking, key), ModelAnswer.receipt)
        case .adjust(let adjustment, let reference, let expiresAt, let reason):
            let refusal = self.adjust(adjustment, reference: reference, expiresAt: expiresAt, reason: reason)
            return refusal.map(ModelAnswer.refused) ?? .done
        case .setWallet(let user, let credits, let visits, let reason):
            let refusal = self.setWallet(user, credits: credits, visits: visits, reason: reason)
            return refusal.map(ModelAnswer.refused) ?? .done
        case .putClass(let id, let definition, let key):
            return ModelAnswer(self.putClass(id, definition, key: key), ModelAnswer.session)
        case .putProduct(let product): self.put(product)
        case .advance(let hours): self.now.addTimeInterval(Double(hours) * 3_600)
        case .sweep: self.sweep()
        case .read: break
        }
        return .done
    }
}
