import Foundation
import Postgres

extension Wallet {
    /// Lists the packs and passes on sale, in display order.
    ///
    /// SQL: `views/catalogue/packs.sql`.
    ///
    /// - Returns: The packs and passes.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func packs() async throws -> [Pack] {
        try await self.read(
            "SELECT p.*, p.unit::text AS unit_name FROM wallet.packs AS p ORDER BY p.display_order, p.product_id"
        ) { row in
            Pack(
                productID: try row.decode("product_id"),
                kind: try row.decode("kind"),
                name: try row.decode("name"),
                description: try row.decode("description"),
                unit: try row.decodeUnit("unit_name"),
                credits: try row.decode("credits"),
                bonusCredits: try row.decode("bonus_credits"),
                totalCredits: try row.decode("total_credits"),
                price: try Money(row: row),
                pricePerCredit: try row.decode("price_per_credit"),
                savingsPercentage: Int(try row.decode("savings_percentage", as: Int32.self)),
                isPopular: try row.decode("is_popular"),
                displayOrder: Int(try row.decode("display_order", as: Int32.self)),
                validDays: try row.decode("valid_days", as: Int32?.self).map(Int.init),
                storeIDs: try StoreIDs(row: row),
                createdAt: try row.decode("created_at")
            )
        }
    }

    /// Lists the subscription tiers on sale, in display order.
    ///
    /// SQL: `views/catalogue/plans.sql`.
    ///
    /// - Returns: The plans.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func plans() async throws -> [Plan] {
        try await self.read(
            "SELECT p.*, p.unit::text AS unit_name FROM wallet.plans AS p ORDER BY p.display_order, p.product_id"
        ) { row in try Plan(row: row) }
    }
}

extension Plan {
    fileprivate init(row: Row) throws {
        let unit: CreditUnit = try row.decodeUnit("unit_name")
        let amount: Int64 = try row.decode("amount")
        let trial: Int64 = try row.decode("trial_amount")
        self.init(
            productID: try row.decode("product_id"),
            name: try row.decode("name"),
            description: try row.decode("description"),
            price: try Money(row: row),
            pricePerCredit: try row.decode("price_per_credit"),
            isPopular: try row.decode("is_popular"),
            displayOrder: Int(try row.decode("display_order", as: Int32.self)),
            tier: Int(try row.decode("tier", as: Int32.self)),
            entitlements: try row.decode("entitlements"),
            period: try row.decode("period"),
            grants: amount > 0 ? Grant(unit: unit, amount: amount) : nil,
            unlimited: try row.decode("unlimited"),
            rolloverPercentage: Int(try row.decode("rollover_percentage", as: Int32.self)),
            trial: trial > 0 ? Grant(unit: unit, amount: trial) : nil,
            storeIDs: try StoreIDs(row: row)
        )
    }
}

extension Money {
    fileprivate init(row: Row) throws {
        self.init(amount: try row.decode("price"), currency: try row.decode("currency"))
    }
}

extension StoreIDs {
    fileprivate init(row: Row) throws {
        self.init(
            appStore: try row.decode("app_store_id"),
            playStore: try row.decode("play_store_id"),
            revenueCat: try row.decode("revenuecat_id")
        )
    }
}
