import Foundation
import Postgres
import Wallet

/// Reads what a walk's wallets, lots and seats are in the tables, in one round trip.
struct WalkSnapshot {
    struct Line {
        let what: String
        let user: String?
        let environment: String
        let id: UUID?
        let transactionID: String?
        let state: String
    }

    let lines: [Line]

    init(of userIDs: [String], classIDs: [String], on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            WITH mine AS (
                SELECT i.account_id, i.user_id FROM wallet.identities AS i WHERE i.user_id = ANY(\(userIDs))
            )
            SELECT 'wallet' AS what, m.user_id, w.environment::text AS environment, NULL::uuid AS id,
                NULL AS transaction_id,
                concat_ws(' ', w.credits, w.visits, w.owed_credits, w.owed_visits, w.version) AS state
            FROM mine AS m INNER JOIN wallet.wallets AS w ON m.account_id = w.account_id
            UNION ALL
            SELECT 'lot', m.user_id, l.environment::text, l.lot_id, c.transaction_id,
                concat_ws(
                    ' ', l.unit, l.source, l.granted, l.spent, l.lapsed, l.refunded, l.repaid, l.remaining, l.owed,
                    coalesce(round(extract(EPOCH FROM nullif(l.expires_at, 'infinity')))::text, 'never')
                )
            FROM mine AS m INNER JOIN wallet.lots AS l ON m.account_id = l.account_id
            LEFT JOIN wallet.claims AS c ON l.claim_id = c.claim_id
            UNION ALL
            SELECT 'seats', s.class_id, s.environment::text, NULL, NULL, concat_ws(' ', s.capacity, s.sold)
            FROM wallet.class_seats AS s WHERE s.class_id = ANY(\(classIDs))
            """
        )
        self.lines = try rows.map { row in
            Line(
                what: try row.decode("what"),
                user: try row.decode("user_id"),
                environment: try row.decode("environment"),
                id: try row.decode("id"),
                transactionID: try row.decode("transaction_id"),
                state: try row.decode("state")
            )
        }
    }
}

extension Books {
    /// Gives the lots that the last step opened the ids that the database chose.
    mutating func learn(_ snapshot: WalkSnapshot, _ names: inout WalkNames) {
        for line in snapshot.lines where line.what == "lot" {
            guard
                let id = line.id, names.lots[id] == nil, let user = line.user,
                let key = names.key(user, line.environment)
            else { continue }
            let opened = self[key].lots.indices.first { self.isThis(self[key].lots[$0], line) }
            guard let opened else { continue }
            self[key].name(opened, id)
            names.lots[id] = LotKey(wallet: key, lot: opened)
        }
    }

    private func isThis(_ lot: ModelLot, _ line: WalkSnapshot.Line) -> Bool {
        guard lot.id == nil, line.state.hasPrefix(lot.unit.rawValue + " ") else { return false }
        guard let claim = lot.claim, let transactionID = line.transactionID else {
            return lot.claim == nil && line.transactionID == nil
        }
        return self.claims[claim].names.contains(.transaction(transactionID))
    }

    /// Writes down the model's wallets, lots and seats as ``WalkSnapshot`` reads the database's.
    var lines: [String] {
        var lines: [String] = []
        for (key, wallet) in self.wallets {
            let sums = [
                wallet.stored(.credit), wallet.stored(.visit), wallet.owed(.credit), wallet.owed(.visit),
                wallet.version,
            ]
            lines.append("wallet \(key): " + sums.map { "\($0)" }.joined(separator: " "))
            for (number, lot) in wallet.lots.enumerated() {
                let parts = [
                    lot.granted, lot.spent, lot.lapsed, lot.refunded, lot.repaid, lot.remaining, lot.owed,
                ].map { "\($0)" }
                lines.append(
                    "lot \(LotKey(wallet: key, lot: number)): \(lot.unit.rawValue) \(lot.source) "
                        + parts.joined(separator: " ") + " \(lot.expiresAt.walkText)"
                )
            }
        }
        for (id, session) in self.classes {
            for environment in WalletEnvironment.allCases {
                lines.append("seats \(id) \(environment): \(session.capacity) \(session.sold[environment, default: 0])")
            }
        }
        return lines.sorted()
    }
}

extension WalkSnapshot {
    /// Writes down what was read in the model's names.
    func lines(_ names: WalkNames) -> [String] {
        self.lines.map { line in
            let user = line.user ?? ""
            let place = names.key(user, line.environment)?.description ?? "\(user) \(line.environment)"
            return "\(line.what) \(line.id.map(names.lot) ?? place): \(line.state)"
        }.sorted()
    }
}
