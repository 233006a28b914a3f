import Foundation
import Hummingbird

extension SandboxStores {
    /// Posts the notifications of a control's events and returns the control's answer.
    func notify(_ outcome: ControlOutcome) async throws -> ControlAnswer {
        await self.poster.post(outcome.happenings)
        return try await self.answer(outcome)
    }

    func answer(_ outcome: ControlOutcome) async throws -> ControlAnswer {
        let transaction = outcome.transaction
        guard transaction.store == .appStore else { return ControlAnswer(outcome: outcome, signedTransaction: nil) }
        let signed = try self.writer.signedTransaction(transaction, at: await self.ledger.nextInstant)
        return ControlAnswer(outcome: outcome, signedTransaction: signed)
    }
}

/// The result of a control.
struct ControlOutcome: Sendable {
    let transaction: SandboxTransaction
    /// A receipt that contains a new transaction; nil if nothing was sold.
    let receipt: String?
    let happenings: [SandboxEvent]
}

/// The answer of a purchase control: the transaction after the change, and the data that its store would give the app.
struct ControlAnswer: ResponseEncodable {
    let outcome: ControlOutcome
    let signedTransaction: String?

    private enum CodingKeys: CodingKey {
        case transactionId, originalTransactionId, productId, expiresAt, refundedAt, isFinished
        case receipt, signedTransaction, purchaseToken
    }

    func encode(to encoder: any Encoder) throws {
        let transaction = self.outcome.transaction
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(transaction.id, forKey: .transactionId)
        try values.encode(transaction.originalID, forKey: .originalTransactionId)
        try values.encode(transaction.productID, forKey: .productId)
        try values.encode(transaction.expiresAt?.formatted(.iso8601), forKey: .expiresAt)
        try values.encode(transaction.cancelledAt?.formatted(.iso8601), forKey: .refundedAt)
        try values.encode(transaction.isFinished, forKey: .isFinished)
        try values.encode(self.outcome.receipt, forKey: .receipt)
        try values.encode(self.signedTransaction, forKey: .signedTransaction)
        try values.encode(transaction.purchaseToken, forKey: .purchaseToken)
    }
}
