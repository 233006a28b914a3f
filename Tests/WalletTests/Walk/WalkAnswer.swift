import Foundation
import Postgres
import Stores
import Wallet

/// The database's answer to a step.
enum WalkAnswer {
    case fact(FactOutcome)
    case receipt(BookingResult)
    case quote(BookingQuote)
    case session(ClassSession)
    case adjusted(replayed: Bool, lot: UUID?, balance: String)
    case said(String)
    case refused(status: Int, slug: String, members: String?)

    /// The answer's category, for the tally; it does not depend on amounts.
    var label: String {
        switch self {
        case .fact(let fact): fact.reason ?? (fact.duplicate ? "granted before" : "granted")
        case .receipt(let receipt):
            (receipt.replayed ? "replayed " : "") + receipt.booking.status + (receipt.booking.lateCancel ? " late" : "")
                + (receipt.booking.unit == nil ? " unlimited" : "")
        case .quote: "quote"
        case .session: "session"
        case .adjusted(let replayed, _, _): replayed ? "replayed adjustment" : "adjusted"
        case .said(let word): String(word.prefix { $0 != "," })
        case .refused(_, let slug, _): slug
        }
    }

    init(catching work: () async throws -> WalkAnswer) async throws {
        do {
            self = try await work()
        } catch let error as WalletError where error.status < 500 {
            self = .refused(status: error.status, slug: error.slug, members: error.membersJSON)
        } catch let error as PostgresError where error.code == .refused {
            let message = error.message ?? ""
            guard message.contains(" "), let detail = error.detail else {
                self = .refused(status: error.httpStatus ?? 0, slug: message, members: error.detail)
                return
            }
            // The views of schema admin raise a full sentence; the slug comes first in the detail, before the members.
            let slug = String(detail.prefix { $0 != " " })
            let members = String(detail.dropFirst(slug.count + 1))
            self = .refused(status: error.httpStatus ?? 0, slug: slug, members: members.isEmpty ? nil : members)
        }
    }
}

/// The model's answer to a step.
enum ModelAnswer {
    case fact(ModelFactOutcome, transactionID: String)
    case receipt(ModelReceipt)
    case quote(ModelPayment, ModelReceipt, WalletKey)
    case session(ModelClass)
    case adjusted(ModelAdjusted)
    case said(String)
    case refused(ModelRefusal)

    static let done = ModelAnswer.said("done")

    init<Value>(_ result: Result<Value, ModelRefusal>, _ answer: (Value) -> ModelAnswer) {
        switch result {
        case .success(let value): self = answer(value)
        case .failure(let refusal): self = .refused(refusal)
        }
    }
}
