import Foundation
import Postgres
import TestSupport
import Testing
import Wallet

/// Tests that the table of operators' actions agrees with the database's.
@Suite(.database) struct ActionDescriptionTests {
    /// A row of `wallet.action_rights`.
    private struct Right {
        let needs: String
        /// The members of the target; nil if the action is not carried out by `wallet.operator_act`.
        let target: Set<String>?
    }

    private static func rights() async throws -> [String: Right] {
        let connection = try await TestDatabase.current.connect()
        let rows = try await connection.query(
            """
            SELECT r.action, r.needs::text AS needs, (to_jsonb(r) -> 'target')::text AS target
            FROM wallet.action_rights AS r
            """
        )
        let rights = try rows.map { row in
            let target = try row.decode("target", as: String?.self).map {
                try JSONDecoder().decode([String]?.self, from: Data($0.utf8))
            }
            let right = Right(needs: try row.decode("needs"), target: target.flatMap { $0 }.map(Set.init))
            return (try row.decode("action", as: String.self), right)
        }
        connection.close()
        return Dictionary(uniqueKeysWithValues: rights)
    }

    @Test func `every action has the database's role and target`() async throws {
        let rights = try await Self.rights()
        for action in ActionDescription.all {
            // A gift is an adjustment.
            let name = action.isAdjustment ? "adjust" : action.name
            let right = try #require(rights[name], "\(name)")
            #expect(action.needs.rawValue == right.needs, "\(name)")
            guard let target = right.target else { continue }
            let own = action.target.map { ["class", "policy", "series", "product"].contains($0) ? "definition" : $0 }
            #expect(Set(own) == target, "\(name)")
        }
        // The other entries have no form: reading, and comparing the books with the stores.
        let names = Set(ActionDescription.all.map { $0.isAdjustment ? "adjust" : $0.name })
        #expect(Set(rights.keys).subtracting(names) == ["read", "reconcile"])
    }

    @Test func `the statements for psql quote the values of the form`() {
        let values = [
            "class_id": "c'1", "title": "Clay", "starts_at": "2026-12-01T10:00:30Z", "minutes": "120",
            "capacity": "8", "price_credits": "20", "reason": "it's new",
        ]
        let created = ActionDescription.putClass.psql(values, key: "k")
        #expect(created.hasPrefix("BEGIN;\nSET LOCAL wallet.reason = 'it''s new';\nINSERT INTO admin.classes (\n"))
        #expect(created.contains("'Clay', '2026-12-01T10:00:30Z', '120', '8', '20', NULL, 'c''1'"), "\(created)")
        let changed = ActionDescription.putClass.psql(values.merging(["known": "true"]) { $1 }, key: "k")
        #expect(changed.contains("UPDATE admin.classes SET\n    title = 'Clay', starts_at = '2026-12-01T10:00:30Z'"))
        #expect(changed.hasSuffix("WHERE class_id = 'c''1';\nCOMMIT;"))
        let series = ActionDescription.putSeries.psql(
            ["weekdays": "monday, friday", "from_date": "2026-12-01", "exceptions": "2026-12-24, 2026-12-31"],
            key: "k"
        )
        #expect(series.contains("INSERT INTO admin.series"))
        #expect(series.contains("'{monday,friday}'"))
        #expect(series.contains("'{2026-12-24,2026-12-31}'"))
        let product = ActionDescription.putProduct.psql(
            ["known": "true", "entitlements": "a, b", "price_minor": "12.5"],
            key: "k"
        )
        #expect(product.contains("price_minor = '1250'"))
        #expect(product.contains("entitlements = ARRAY['a', 'b']::text[]"))
        #expect(!product.contains("kind =") && !product.contains("unit ="))
        let gift = ActionDescription.gift.psql(["user_id": "ann", "new_user": "true"], key: "k")
        #expect(gift.contains("reference, reason, source, expires_at, new_user)\nVALUES ('ann', NULL"))
        #expect(gift.hasSuffix("'k', NULL, 'gift', NULL, TRUE);"))
        #expect(
            ActionDescription.tester.psql(["user_id": "ann", "tester": "false", "reason": "r"], key: "k")
                == "BEGIN;\nSET LOCAL wallet.reason = 'r';\nDELETE FROM admin.testers WHERE user_id = 'ann';\nCOMMIT;"
        )
    }
}
