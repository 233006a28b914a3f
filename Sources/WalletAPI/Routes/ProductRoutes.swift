import Foundation
import Hummingbird
import Wallet

/// Creates and changes the products of the catalogue for operators.
///
/// - `PUT /operator/products/{id}` (operator)
struct ProductRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.put("operator/products/:id", use: self.putProduct)
    }

    @Sendable
    private func putProduct(_ request: Request, _ context: OperatorRequestContext) async throws -> JSONAnswer<Product> {
        let id = try context.parameters.productID()
        let key = try request.idempotencyKeyOrNew()
        let definition = try await request.json(ProductDefinition.self).checked()
        return JSONAnswer(try await self.wallet.putProduct(id, definition, by: context.actor, key: key))
    }
}

extension ProductDefinition {
    /// Refuses members of the correct type whose values no product can have.
    func checked() throws -> ProductDefinition {
        try OperatorText.check(self.name, "name", upTo: 200)
        guard self.kind == .plan || self.unit == (self.kind == .pack ? .credit : .visit) else {
            throw Problem.member("unit", "must be credit for a pack and visit for a pass", Received(self.unit.rawValue))
        }
        try self.checkTexts()
        try self.checkPrice()
        try self.checkNumbers()
        guard (self.amount ?? 0) > 0 || (self.kind == .plan && self.unlimited == true) else {
            throw Problem.member(
                "amount",
                "must be more than 0 unless a plan is unlimited",
                self.amount.map { Received($0) }
            )
        }
        guard self.kind == .plan ? self.hasPeriod : self.period == nil else {
            throw Problem.member(
                "period",
                "must be a period such as P1W, P1M or P1Y for a plan, and absent for other products",
                self.period.map { Received($0) }
            )
        }
        guard self.kind == .plan || (self.unlimited != true && self.daysAhead == nil) else {
            throw Problem.malformed("Only plans accept the members \"unlimited\" and \"days_ahead\".")
        }
        guard self.commitmentAmount == nil || (self.kind == .plan && self.unlimited != true) else {
            throw Problem.member("commitment_amount", "is allowed only for plans that are not unlimited")
        }
        guard self.kind != .pack || self.validDays == nil else {
            throw Problem.member("valid_days", "must be absent for packs, because bought credits never expire")
        }
        guard ["purchase", "virtual_currency"].contains(self.grantSource ?? "purchase") else {
            throw Problem.member(
                "grant_source",
                "must be purchase or virtual_currency",
                self.grantSource.map { Received($0) }
            )
        }
        return self
    }

    private func checkTexts() throws {
        guard (self.description ?? "").unicodeScalars.count <= 2_000 else {
            throw Problem.member(
                "description",
                "must have at most 2000 characters",
                self.description.map { Received($0) }
            )
        }
        guard (self.entitlements ?? []).count <= 100 else {
            throw Problem.member(
                "entitlements",
                "must have at most 100 names; received \(self.entitlements?.count ?? 0)"
            )
        }
        for entitlement in self.entitlements ?? [] { try OperatorText.check(entitlement, "entitlements", upTo: 100) }
        if let group = self.subscriptionGroup { try OperatorText.check(group, "subscription_group", upTo: 100) }
        let ids = [
            ("app_store", self.storeIDs?.appStore), ("play_store", self.storeIDs?.playStore),
            ("revenuecat", self.storeIDs?.revenueCat),
        ]
        for (store, id) in ids {
            guard let id, !TransactionID.isValid(id) else { continue }
            throw Problem.member("store_ids.\(store)", "must be 1 to 255 visible ASCII characters", Received(id))
        }
    }

    private func checkPrice() throws {
        let amount = self.price.amount
        guard amount >= 0, amount <= 1_000_000, Decimal(self.price.minorAmount) == amount * 100 else {
            throw Problem.member("price.amount", "must be 0 to 1000000 with at most two decimals", Received(amount))
        }
        guard self.price.currency.wholeMatch(of: /[A-Z]{3}/) != nil else {
            throw Problem.member(
                "price.currency",
                "must be three capital letters",
                Received(self.price.currency)
            )
        }
    }

    private func checkNumbers() throws {
        let bounds: [(name: String, value: Int64?, range: ClosedRange<Int64>)] = [
            ("amount", self.amount, 0...1_000_000),
            ("bonus", self.bonus, 0...1_000_000),
            ("trial_amount", self.trialAmount, 0...1_000_000),
            ("display_order", self.displayOrder.map(Int64.init), -1_000_000...1_000_000),
            ("valid_days", self.validDays.map(Int64.init), 1...3_660),
            ("grace_days", self.graceDays.map(Int64.init), 0...366),
            ("tier", self.tier.map(Int64.init), 0...1_000_000),
            ("rollover_percentage", self.rolloverPercentage.map(Int64.init), 0...100),
            ("rollover_cap", self.rolloverCap, 0...1_000_000),
            ("days_ahead", self.daysAhead.map(Int64.init), 0...3_660),
            ("commitment_amount", self.commitmentAmount, 1...1_000_000),
        ]
        for (name, value, range) in bounds {
            guard let value, !range.contains(value) else { continue }
            throw Problem.member(name, "must be \(range.lowerBound) to \(range.upperBound)", Received(value))
        }
    }

    private var hasPeriod: Bool {
        self.period?.wholeMatch(of: /P[1-9][0-9]{0,2}[DWMY]/) != nil
    }
}
