import Foundation
import Postgres
import Testing
import Wallet

extension WalkDriver {
    /// Makes administrators' changes through the views of schema admin.
    func administrate(_ step: WalkStep) async throws -> WalkAnswer {
        let admin = self.database.admin
        switch step {
        case .adjust(let adjustment, let reference, let expiresAt, let reason):
            try await admin.query(
                """
                INSERT INTO admin.adjustments (
                    reference, user_id, environment, unit, amount, reason, expires_at, new_user
                )
                VALUES (
                    \(reference), \(self.user(adjustment.key.user).rawValue),
                    \(adjustment.key.environment.rawValue)::wallet.environment,
                    \(adjustment.unit.rawValue)::wallet.unit, \(adjustment.amount), \(reason), \(expiresAt), TRUE
                )
                """
            )
        case .setWallet(let user, let credits, let visits, let reason):
            try await admin.query(
                """
                UPDATE admin.wallets SET
                    credits = coalesce(\(credits), credits), visits = coalesce(\(visits), visits), reason = \(reason)
                WHERE user_id = \(self.names.userIDs[user])
                """
            )
        case .importBalance(let balance, let source): return try await self.importBalance(balance, source)
        case .operate(let asked, let key): return try await self.operate(asked, key)
        case .putProduct(let product) where product.kind == "plan": try await self.operate(product)
        case .putProduct(let product): try await self.put(product)
        default: break
        }
        return .said("done")
    }

    /// Imports a balance as the owner of the tables; the service's role may not import.
    private func importBalance(_ balance: ModelImport, _ source: String) async throws -> WalkAnswer {
        let rows = try await self.database.root.query(
            """
            SELECT concat_ws(', ', 'import: ' || o.result, o.reason) AS said FROM wallet.import_wallet(
                \(source), \(self.user(balance.key.user).rawValue),
                \(balance.key.environment.rawValue)::wallet.environment, NULL, \(balance.credits), \(balance.visits),
                NULL, FALSE, 'brought along'
            ) AS o
            """
        )
        return .said(try #require(rows.first).decode("said"))
    }

    private func operate(_ asked: ModelOperatorAdjustment, _ key: String) async throws -> WalkAnswer {
        let adjustment = asked.adjustment
        let rows = try await self.database.service.query(
            """
            SELECT a.replayed, a.lot_id, format(
                '%s credits %s visits version %s', a.credits, a.visits, a.version
            ) AS balance FROM wallet.operator_adjust(
                \(self.user(adjustment.key.user).rawValue),
                \(adjustment.key.environment.rawValue)::wallet.environment,
                \(adjustment.unit.rawValue)::wallet.unit, \(adjustment.amount), \(asked.reference), \(asked.reason),
                \(adjustment.source), \(asked.expiresAt), 'operator', \(key), p_new_user => TRUE
            ) AS a
            """
        )
        let row = try #require(rows.first)
        return .adjusted(
            replayed: try row.decode("replayed"),
            lot: try row.decode("lot_id"),
            balance: try row.decode("balance")
        )
    }

    /// Adds a plan to the catalogue as an operator, who may set how many days ahead the plan books.
    private func operate(_ product: ModelProduct) async throws {
        try await self.database.service.query(
            """
            SELECT wallet.put_product(\(product.id), jsonb_build_object(
                'kind', \(product.kind)::text, 'name', 'A plan', 'unit', \(product.unit.rawValue)::text,
                'amount', \(product.amount)::bigint, 'bonus', \(product.bonus)::bigint, 'price_minor', 100,
                'app_store_id', \(product.id)::text, 'play_store_id', \(product.id)::text,
                'period', \(product.period)::text,
                'unlimited', \(product.unlimited)::boolean, 'trial_amount', \(product.trialAmount)::bigint, 'tier', 1,
                'grace_days', \(Int32(product.graceDays))::integer,
                'days_ahead', \(product.daysAhead.map { Int32($0) })::integer,
                'commitment_amount', \(product.commitmentAmount)::bigint
            ), 'operator', \(UUID().uuidString))
            """
        )
    }

    private func put(_ product: ModelProduct) async throws {
        let known = try await self.database.admin.query(
            """
            UPDATE admin.products SET
                amount = \(product.amount), bonus = \(product.bonus),
                valid_days = \(product.validDays.map { Int32($0) }), trial_amount = \(product.trialAmount),
                grace_days = \(Int32(product.graceDays))
            WHERE product_id = \(product.id)
            RETURNING product_id
            """
        )
        guard known.isEmpty else { return }
        try await self.database.admin.query(
            """
            INSERT INTO admin.products (
                product_id, kind, name, unit, amount, bonus, price_minor, app_store_id, play_store_id, valid_days,
                period, unlimited, trial_amount, description, currency, is_active, is_popular, display_order,
                grace_days, tier, entitlements, rollover_percentage
            ) VALUES (
                \(product.id), \(product.kind), 'A product', \(product.unit.rawValue)::wallet.unit,
                \(product.amount), \(product.bonus), 100, \(product.id), \(product.id),
                \(product.validDays.map { Int32($0) }), \(product.kind == "plan" ? product.period : nil),
                \(product.unlimited), \(product.trialAmount), '', 'USD', TRUE, FALSE, 0,
                \(Int32(product.graceDays)), 1, '{}', 0
            )
            """
        )
    }
}
