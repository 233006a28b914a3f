import Foundation
import Hummingbird

extension SandboxStores {
    /// A transaction as the controls show it.
    struct TransactionView: ResponseEncodable {
        let transactionId: String
        let originalTransactionId: String
        let productId: String
        let expiresAt: String?
        let refundedAt: String?
        let isFinished: Bool

        init(_ transaction: SandboxTransaction) {
            self.transactionId = transaction.id
            self.originalTransactionId = transaction.originalID
            self.productId = transaction.productID
            self.expiresAt = transaction.expiresAt?.formatted(.iso8601)
            self.refundedAt = transaction.cancelledAt?.formatted(.iso8601)
            self.isFinished = transaction.isFinished
        }
    }

    func addTransactionRoutes(to router: Router<SandboxContext>) {
        let transactions = router.group("sandbox/transactions/:id")
        transactions.post("refund") { _, context in
            TransactionView(try await self.ledger.refund(context.parameters.require("id")))
        }
        transactions.post("finish") { _, context in
            TransactionView(try await self.ledger.finish(context.parameters.require("id")))
        }
        let subscriptions = router.group("sandbox/subscriptions/:id")
        subscriptions.post("renew") { _, context in
            Sale(try await self.ledger.renew(context.parameters.require("id")))
        }
        subscriptions.post("cancel") { _, context in
            TransactionView(try await self.ledger.cancel(context.parameters.require("id")))
        }
        subscriptions.post("expire") { _, context in
            TransactionView(try await self.ledger.expire(context.parameters.require("id")))
        }
    }
}
