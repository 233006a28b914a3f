import HTTPTypes
import Hummingbird
import Wallet

/// Returns a user's passes, and lets apps spend visits without a booking.
///
/// - `GET /passes` (user)
/// - `POST /purchases/{transaction_id}/consume` (user)
struct PassRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("passes", use: self.list)
        group.post("purchases/:transaction_id/consume", use: self.consume)
    }

    @Sendable
    private func list(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<PagedAnswer<Pass>> {
        let page = try await self.wallet.passes(
            of: context.user,
            in: self.wallet.environment(of: context.user, in: request),
            page: request.page()
        )
        return JSONAnswer(PagedAnswer("passes", page))
    }

    @Sendable
    private func consume(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<PassUse> {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let transactionID = try context.parameters.transactionID()
        let reference = try await request.json(Consumption.self).checkedReference()
        let use = try await self.wallet.consumePass(
            transactionID,
            reference: reference,
            for: context.caller,
            in: environment
        )
        return JSONAnswer(use, headers: use.replayed ? [.idempotentReplayed: "true"] : [:])
    }

    private struct Consumption: Decodable {
        let reference: String

        func checkedReference() throws -> String {
            try OperatorText.check(self.reference, "reference", upTo: 200)
            return self.reference
        }
    }
}
