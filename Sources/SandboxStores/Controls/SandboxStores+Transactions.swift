import Foundation
import Hummingbird
import NIOCore

extension SandboxStores {
    private struct Refund: Decodable {
        let percentage: Int?
    }

    static let transactionSteps = [
        "refund", "refund-reverse", "revoke", "finish", "complete", "consumption-request", "refund-review",
    ]

    func addTransactionRoutes(to router: Router<SandboxContext>) {
        let transactions = router.group("sandbox/transactions/:id")
        transactions.get { _, context in
            let transaction = try await self.ledger.transaction(context.id)
            return try await self.answer(ControlOutcome(transaction: transaction, receipt: nil, happenings: []))
        }
        transactions.post("refund") { request, context in
            let percentage = try await request.options(Refund.self, context)?.percentage ?? 100
            guard (1...100).contains(percentage) else {
                throw ControlRefusal.member("percentage", "must be from 1 to 100", received: "\(percentage)")
            }
            return try await self.notify(self.ledger.refund(context.id, percentage: percentage))
        }
        transactions.post("refund-reverse") { _, context in
            try await self.notify(self.ledger.reverseRefund(context.id))
        }
        transactions.post("finish") { _, context in try await self.notify(self.ledger.finish(context.id)) }
        transactions.post("revoke") { _, context in try await self.notify(self.ledger.revoke(context.id)) }
        transactions.post("complete") { _, context in try await self.notify(self.ledger.complete(context.id)) }
        transactions.post("consumption-request") { _, context in
            try await self.notify(self.ledger.requestConsumption(context.id))
        }
        transactions.post("refund-review") { _, context in
            try await self.notify(self.ledger.reviewRefund(context.id))
        }
        transactions.post(":step") { _, context -> Response in
            throw ControlRefusal.unknownStep(try context.parameters.require("step"), known: Self.transactionSteps)
        }
    }
}

extension SandboxContext {
    /// The id of the transaction or subscription in the path.
    var id: String {
        get throws { try self.parameters.require("id") }
    }
}
