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
                grace_days = \(Int32(product.graceDays)),
                starts_within_days = \(product.startsWithinDays.map { Int32($0) }),
                bundle_items = \(product.bundleText)::jsonb
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
                grace_days, tier, entitlements, rollover_percentage, starts_within_days, bundle_items
            ) VALUES (
                \(product.id), \(product.kind), 'A product', \(product.unit.rawValue)::wallet.unit,
                \(product.amount), \(product.bonus), 100, \(product.id), \(product.id),
                \(product.validDays.map { Int32($0) }), \(product.kind == "plan" ? product.period : nil),
                \(product.unlimited), \(product.trialAmount), '', 'USD', TRUE, FALSE, 0,
                \(Int32(product.graceDays)), 1, '{}', 0, \(product.startsWithinDays.map { Int32($0) }),
                \(product.bundleText)::jsonb
            )
            """
        )
    }
}

extension ModelProduct {
    /// The further lots of the bundle as JSON.
    fileprivate var bundleText: String {
        let items = self.bundle.map { item in
            "{\"unit\": \"\(item.unit.rawValue)\", \"amount\": \(item.amount), "
                + "\"valid_days\": \(item.validDays.map { "\($0)" } ?? "null"), "
                + "\"starts_within_days\": \(item.startsWithinDays.map { "\($0)" } ?? "null")}"
        }
        return "[\(items.joined(separator: ", "))]"
    }
}

extension WalkDriver {
    /// Creates or changes a policy as an operator.
    func put(_ policy: ModelPolicy, _ id: String) async throws -> String {
        let replayed = try await self.operate(
            "put-policy",
            """
            SELECT jsonb_build_object('policy_id', \(id)::text, 'definition', jsonb_build_object(
                'name', 'A policy', 'free_minutes_before', \(Int32(policy.freeMinutesBefore))::integer,
                'late_cancel_fee', \(policy.lateFee)::bigint, 'late_cancel_strike', \(policy.lateStrike)::boolean,
                'no_show_fee', \(policy.noShowFee)::bigint, 'no_show_strike', \(policy.noShowStrike)::boolean,
                'strikes_allowed', \(policy.strikesAllowed.map { Int32($0) })::integer,
                'strike_days', \(policy.strikesAllowed.map { _ in Int32(policy.strikeDays) })::integer,
                'block_days', \(policy.strikesAllowed.map { _ in Int32(policy.blockDays) })::integer
            )) AS target
            """
        )
        return replayed ? "policy unchanged" : "policy changed"
    }

    /// Marks bookings of a class as an operator.
    func mark(
        _ bookings: [Int],
        of classID: String,
        _ attendance: String,
        in environment: WalletEnvironment
    ) async throws -> String {
        let replayed = try await self.operate(
            "mark-attendance",
            """
            SELECT jsonb_build_object(
                'class_id', \(classID)::text, 'environment', \(environment.rawValue)::text,
                'attendance', \(attendance)::text,
                'booking_ids', \(bookings.compactMap { self.names.bookingIDs[$0]?.uuidString })::text[]
            ) AS target
            """
        )
        return replayed ? "marked already" : "marked \(attendance)"
    }

    /// Waives a late cancellation as an operator.
    func waive(_ booking: Int) async throws {
        let key = self.books.bookings[booking].key
        _ = try await self.operate(
            "waive-cancellation",
            """
            SELECT jsonb_build_object(
                'user_id', \(self.user(key.user).rawValue)::text, 'environment', \(key.environment.rawValue)::text,
                'booking_id', \(self.names.bookingIDs[booking] ?? UUID())::uuid
            ) AS target
            """
        )
    }

    /// Carries out an operator's action on a target that a query builds, and returns whether it changed nothing.
    private func operate(_ action: String, _ target: Query) async throws -> Bool {
        let built = try #require(try await self.database.service.query(target).first)
        let text = try built.decode("target", as: JSONText.self).rawValue
        let rows = try await self.database.service.query(
            """
            SELECT a.replayed FROM wallet.operator_act(\(action), \(text)::jsonb, 'operator', 'walk', NULL) AS a
            """
        )
        return try #require(rows.first).decode("replayed")
    }
}
