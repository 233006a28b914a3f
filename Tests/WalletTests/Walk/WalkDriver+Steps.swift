import Foundation
import Postgres
import Wallet

extension WalkDriver {
    /// Takes a step in the database, as the service or, for what administrators do, through the views of admin.
    func perform(_ step: WalkStep) async throws -> WalkAnswer {
        let wallet = self.database.wallet
        return try await WalkAnswer(catching: {
            switch step {
            case .apply(let fact, let user):
                return .fact(try await wallet.apply(fact, submittedBy: self.user(user)))
            case .book(let new, let key, let idempotencyKey):
                return .receipt(
                    try await wallet.book(new, for: self.user(key.user), in: key.environment, key: idempotencyKey)
                )
            case .quote(let new, let key):
                return .quote(try await wallet.quote(new, for: self.user(key.user), in: key.environment))
            case .cancel(let booking, let key):
                let id = booking.flatMap { self.names.bookingIDs[$0] } ?? UUID()
                return .receipt(try await wallet.cancel(id, for: self.user(key.user), in: key.environment))
            case .join(let asked, let key): return .said(try await self.join(asked, key))
            case .leave(let classID, let key): try await self.leave(classID, key)
            case .promote(let classID, let environment):
                return .said(try await self.database.promote(classID, environment))
            case .consume(let transactionID, let reference, let key):
                return .said(try await self.consume(transactionID, reference, key))
            case .settle(let limit): return .said("settled \(try await self.database.settle(limit: limit))")
            case .putClass(let id, let terms, let key):
                try await self.put(id, terms, key)
                return .session(try await wallet.classSession(id, in: .production))
            case .endUnlimited: try await self.database.endUnlimited()
            case .sweep: _ = try await wallet.sweep(limit: 100_000)
            case .advance(let hours): try await self.database.advance(Double(hours) * 3_600)
            default: try await self.administrate(step)
            }
            return .said("done")
        })
    }

    func user(_ number: Int) -> UserID { UserID(rawValue: self.names.userIDs[number]) }

    private func administrate(_ step: WalkStep) async throws {
        let admin = self.database.admin
        switch step {
        case .adjust(let adjustment, let reference, let expiresAt, let reason):
            try await admin.query(
                """
                INSERT INTO admin.adjustments (reference, user_id, environment, unit, amount, reason, expires_at)
                VALUES (
                    \(reference), \(self.names.userIDs[adjustment.key.user]),
                    \(adjustment.key.environment.rawValue)::wallet.environment,
                    \(adjustment.unit.rawValue)::wallet.unit, \(adjustment.amount), \(reason), \(expiresAt)
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
        case .cancelClass(let id, let reason, let key):
            try await self.database.service.query(
                "SELECT wallet.cancel_class(\(id), \(reason), 'operator', \(key))"
            )
        case .putProduct(let product): try await self.put(product)
        default: break
        }
    }

    private func put(_ product: ModelProduct) async throws {
        try await self.database.admin.query(
            """
            INSERT INTO admin.products (
                product_id, kind, name, unit, amount, bonus, price_minor, app_store_id, play_store_id, valid_days,
                period, unlimited, trial_amount, description, currency, is_active, is_popular, display_order,
                grace_days, days_ahead, tier, entitlements, rollover_percentage
            ) VALUES (
                \(product.id), \(product.kind), 'A product', \(product.unit.rawValue)::wallet.unit,
                \(product.amount), \(product.bonus), 100, \(product.id), \(product.id),
                \(product.validDays.map { Int32($0) }), \(product.kind == "plan" ? "P1M" : nil),
                \(product.unlimited), \(product.trialAmount), '', 'USD', TRUE, FALSE, 0,
                \(Int32(product.graceDays)), \(product.daysAhead.map { Int32($0) }), 1, '{}', 0
            )
            ON CONFLICT (product_id) DO UPDATE SET
                amount = excluded.amount, bonus = excluded.bonus, valid_days = excluded.valid_days,
                trial_amount = excluded.trial_amount, grace_days = excluded.grace_days,
                days_ahead = excluded.days_ahead
            """
        )
    }
}
