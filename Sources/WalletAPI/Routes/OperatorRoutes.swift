import Foundation
import HTTPTypes
import Hummingbird
import Wallet

/// Maintains the catalogue and the classes, and adjusts balances.
///
/// - `PUT /operator/classes/{id}` (operator)
/// - `POST /operator/classes/{id}/cancel` (operator)
/// - `PUT /operator/products/{id}` (operator)
/// - `POST /operator/adjustments` (operator), with `?dry_run=true` to preview the changes and `?preview=` to apply
///   exactly the previewed changes
struct OperatorRoutes {
    let wallet: Wallet
    /// The maximum amount of one adjustment, added or deducted.
    let maximumAmount: Int
    /// The maximum total that one operator may add and deduct in one day.
    let dailyAmount: Int

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.put("operator/classes/:id", use: self.putClass)
        group.post("operator/classes/:id/cancel", use: self.cancelClass)
        group.put("operator/products/:id", use: self.putProduct)
        group.post("operator/adjustments", use: self.adjust)
    }

    @Sendable
    private func putClass(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ClassSession> {
        guard let id = context.parameters.classID() else {
            throw Problem.malformed(
                "A class's id must be 1 to 64 of A-Z a-z 0-9 . _ : -; received "
                    + "\(Received(context.parameters.get("id") ?? ""))."
            )
        }
        let environment = try request.walletEnvironment()
        let key = try request.idempotencyKeyOrNew()
        let definition = try await request.json(ClassDefinition.self).checked()
        let session = try await self.wallet.putClass(id, definition, by: context.actor, key: key, in: environment)
        return JSONAnswer(session)
    }

    @Sendable
    private func cancelClass(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<ClassSession> {
        let id = try context.parameters.knownClassID()
        let environment = try request.walletEnvironment()
        let key = try request.idempotencyKey()
        let reason = try await request.json(ClassCancellation.self, mayBeEmpty: true).checkedReason()
        return JSONAnswer(
            try await self.wallet.cancelClass(id, reason: reason, by: context.actor, key: key, in: environment)
        )
    }

    @Sendable
    private func putProduct(_ request: Request, _ context: OperatorRequestContext) async throws -> JSONAnswer<Product> {
        let id = try context.parameters.productID()
        let key = try request.idempotencyKeyOrNew()
        let definition = try await request.json(ProductDefinition.self).checked()
        return JSONAnswer(try await self.wallet.putProduct(id, definition, by: context.actor, key: key))
    }

    @Sendable
    private func adjust(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<AdjustmentReceipt> {
        let environment = try request.walletEnvironment()
        let dryRun = try request.isDryRun()
        let key = dryRun ? try request.idempotencyKeyIfSent() : try request.idempotencyKey()
        let adjustment = try await request.json(Adjustment.self).checked(in: environment)
        guard adjustment.amount.magnitude <= UInt64(self.maximumAmount) else {
            throw Problem(
                .forbidden,
                "amount-too-large",
                "One call can add or deduct at most \(self.maximumAmount).",
                members: ["maximum": .number(Decimal(self.maximumAmount))]
            )
        }
        let receipt = try await self.wallet.adjust(
            adjustment,
            by: context.actor,
            key: key,
            in: environment,
            dryRun: dryRun,
            shown: try request.preview(),
            dailyAmount: self.dailyAmount
        )
        if receipt.replayed { return JSONAnswer(receipt, headers: [.idempotentReplayed: "true"]) }
        return JSONAnswer(receipt, status: dryRun ? .ok : .created)
    }
}
