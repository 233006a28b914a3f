import Foundation
import Postgres
import Stores
import TestSupport
import Wallet

extension Crowd {
    func upheave(_ upheaval: CrowdPlan.Upheaval, _ admin: Connection) async throws {
        let wallet = self.wallet
        switch upheaval {
        case .admit(let user):
            let issuedAt = try await wallet.now()
            try await wallet.admit(Caller(self.users[user], issuedAt: issuedAt, isAnonymous: true))
        case .delete(let user): try await wallet.deleteAccount(of: self.users[user])
        case .merge(let anonymous, let user): try await wallet.merge(self.users[anonymous], into: self.users[user])
        case .restore(let proofs, let copy, let user):
            let caller = Caller(admitted: self.users[user])
            for purchase in try await wallet.restore(for: caller, facts: proofs, appTransactionID: copy) {
                self.note { $0.refusals["restore: \(purchase.result)", default: 0] += 1 }
                self.log("is answered \(purchase)")
            }
        case .tell(let event): try await self.receive(event)
        case .transfer(let from, let to, let secondsAgo, let id):
            var event = StoreEvent(source: .revenueCat, id: id, type: "TRANSFER")
            event.transfer = StoreEvent.Transfer(
                environment: .production,
                from: [self.users[from].rawValue],
                to: [self.users[to].rawValue],
                at: try await wallet.now().addingTimeInterval(-secondsAgo)
            )
            try await self.receive(event)
        case .importBalance(let credits, let visits, let user, let source):
            try await self.importBalance(credits, visits, user, source)
        case .processInbox: _ = try await self.processInbox()
        case .warn:
            _ = try await wallet.warn(WarningThresholds(lowCredits: 20, lowVisits: 2, expiryDays: 1), limit: 20)
        case .compensate(let users, let amount, let reference): try await self.compensate(users, amount, reference)
        case .endPlans: _ = try await self.endPlans()
        case .checkIn(let user):
            let page = PageRequest(limit: 50, cursor: nil)
            let mine = try await wallet.bookings(of: self.users[user], in: .production, filter: .upcoming, page: page)
            guard let booking = mine.items.randomElement() else { return }
            _ = try await wallet.checkIn(booking.bookingID, for: Caller(admitted: self.users[user]), in: .production)
        default: try await self.administrate(upheaval, admin)
        }
    }

    private func receive(_ event: StoreEvent) async throws {
        let tokens = event.statements.compactMap { $0.fact.appAccountToken?.uuidString.lowercased() }
        let names = event.statements.flatMap(\.owners) + tokens + (event.transfer.map { $0.from + $0.to } ?? [])
        self.note { $0.told[event.id, default: []].formUnion(names) }
        let outcome = try await self.wallet.receive(event)
        self.note { $0.refusals["message: \(outcome.status) \(outcome.reason ?? "")", default: 0] += 1 }
        self.log("is answered \(outcome)")
    }

    private func compensate(_ users: [Int], _ amount: Int64, _ reference: String) async throws {
        let body: [String: Any] = [
            "users": users.map { ["user_id": self.users[$0].rawValue] }, "amount": amount, "unit": "credit",
            "reason": "sorry", "reference": reference, "new_user": true,
        ]
        let receipt = try await self.wallet.compensate(
            WireJSON.decode(Compensation.self, from: JSONSerialization.data(withJSONObject: body)),
            .compensateUsers,
            OperatorChange(
                actor: OperatorIdentity(id: UserID(rawValue: "operator"), right: .operator),
                environment: .production,
                key: nil,
                dryRun: false
            ),
            limits: OperatorLimits(maximumAmount: 1_000, dailyAmount: 1_000_000)
        )
        for line in receipt.lines {
            self.note { $0.refusals["compensation: \(line.result) \(line.reason ?? "")", default: 0] += 1 }
        }
        self.log("is answered \(receipt.lines)")
    }

    private func importBalance(_ credits: Int64, _ visits: Int64, _ user: Int, _ source: String) async throws {
        let outcome = try await self.owner.importBalance(
            ImportedBalance(user: self.users[user], credits: credits, visits: visits),
            from: source,
            into: .production,
            expiresAt: nil,
            isDryRun: false
        )
        self.note { $0.refusals["import: \(outcome.result)", default: 0] += 1 }
    }

    /// Makes administrators' changes through the views of schema admin.
    private func administrate(_ upheaval: CrowdPlan.Upheaval, _ admin: Connection) async throws {
        switch upheaval {
        case .release(let transactionID):
            try await admin.query(
                "UPDATE admin.purchases SET released = TRUE WHERE transaction_id = \(transactionID) AND NOT released"
            )
        case .addProduct(let id):
            try await admin.query(
                """
                INSERT INTO admin.products (
                    product_id, kind, name, unit, amount, bonus, price_minor, app_store_id, currency, is_active,
                    is_popular, display_order, grace_days, tier, entitlements, unlimited, trial_amount,
                    rollover_percentage, grant_source
                ) VALUES (
                    \(id), 'pack', 'A pack', 'credit', 15, 0, 100, \(id), 'USD', TRUE,
                    FALSE, 0, 7, 0, '{}', FALSE, 0,
                    0, 'purchase'
                )
                """
            )
        case .growClass(let id):
            try await admin.query("UPDATE admin.classes SET capacity = capacity + 1 WHERE class_id = \(id)")
        case .delayClass(let id):
            // This change must not be lost to another administrator's edit.
            let rows = try await admin.query(
                """
                UPDATE admin.classes SET
                    starts_at = starts_at + interval '1 hour', ends_at = ends_at + interval '1 hour'
                WHERE class_id = \(id)
                RETURNING class_id
                """
            )
            if !rows.isEmpty { self.note { $0.delays[id, default: 0] += 1 } }
        case .changeSeries(let id, let start, let seats, let skipsADay):
            try await admin.query(
                """
                UPDATE admin.series SET
                    start_time = \(start)::text::time, capacity = \(Int64(seats)),
                    exceptions = CASE WHEN \(skipsADay) THEN ARRAY[from_date + 1] ELSE '{}'::date[] END
                WHERE series_id = \(id)
                """
            )
        case .setWallet(let user, let credits):
            try await admin.query(
                """
                UPDATE admin.wallets SET credits = \(credits), reason = 'counted again'
                WHERE user_id = \(self.users[user].rawValue)
                """
            )
        case .freeze(let user):
            try await admin.query(
                """
                UPDATE admin.lots SET
                    frozen_from = wallet.now(), frozen_until = wallet.now() + interval '30 hours', reason = 'holiday'
                WHERE lot_id = (
                    SELECT l.lot_id FROM admin.lots AS l
                    WHERE
                        l.user_id = \(self.users[user].rawValue) AND l.source IN ('pass', 'plan') AND l.remaining > 0
                    ORDER BY random()
                    LIMIT 1
                )
                """
            )
        case .unfreeze(let user):
            try await admin.query(
                """
                UPDATE admin.lots SET frozen_from = NULL, frozen_until = NULL, reason = 'back again'
                WHERE lot_id = (
                    SELECT l.lot_id FROM admin.lots AS l
                    WHERE l.user_id = \(self.users[user].rawValue) AND l.frozen_until > wallet.now()
                    ORDER BY random()
                    LIMIT 1
                )
                """
            )
        case .setPolicy(let id, let policy):
            try await admin.query("UPDATE admin.classes SET policy_id = \(policy) WHERE class_id = \(id)")
        case .mark(let id, let attendance):
            try await admin.query(
                """
                UPDATE admin.bookings SET attendance = \(attendance), reason = 'roster'
                WHERE booking_id = (
                    SELECT r.booking_id FROM admin.roster AS r
                    WHERE r.class_id = \(id) AND r.attendance <> \(attendance)
                    ORDER BY random()
                    LIMIT 1
                )
                """
            )
            self.note { $0.refusals["attendance: \(attendance)", default: 0] += 1 }
        case .waive(let user):
            try await admin.query(
                """
                UPDATE admin.bookings SET returned = amount, reason = 'was ill'
                WHERE booking_id = (
                    SELECT b.booking_id FROM admin.bookings AS b
                    WHERE b.user_id = \(self.users[user].rawValue) AND b.late_cancel
                    ORDER BY random()
                    LIMIT 1
                )
                """
            )
        case .wait(let minutes):
            try await admin.query("RESET ROLE")
            try await admin.query("SELECT wallet.advance_clock(make_interval(mins => \(Int32(minutes))))")
            try await admin.query("SET ROLE wallet_admin")
        default: break
        }
    }

    /// Ends plans.
    ///
    /// Returns true if any bookings ended.
    func endPlans() async throws -> Bool {
        _ = try await self.wallet.sweepSubscriptions(limit: 100)
        return try await self.wallet.endUnlimited(limit: 100) > 0
    }

    /// Processes due messages again.
    ///
    /// Returns true if there were any.
    func processInbox() async throws -> Bool {
        let due = try await self.wallet.dueEvents(limit: 10)
        for item in due { _ = try await self.wallet.process(item.inboxID) }
        return !due.isEmpty
    }
}
