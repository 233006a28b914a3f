import Postgres

extension WalkDatabase {
    /// Returns items with an impossible owner, claims that wait for an existing product, and failed messages.
    func misplaced() async throws -> [String] {
        try await self.root.query(
            """
            WITH RECURSIVE roots (account_id, root) AS (
                SELECT a.account_id, a.account_id FROM wallet.accounts AS a WHERE a.merged_into IS NULL
                UNION ALL
                SELECT a.account_id, r.root FROM wallet.accounts AS a
                INNER JOIN roots AS r ON a.merged_into = r.account_id
            )

            SELECT format('gift lot %s of account %s lies with account %s', l.lot_id, r.root, l.account_id) AS wrong
            FROM wallet.lots AS l
            CROSS JOIN LATERAL (
                SELECT e.account_id FROM wallet.entries AS e
                WHERE e.lot_id = l.lot_id AND e.kind IN ('adjust', 'import')
                ORDER BY e.at, e.version LIMIT 1
            ) AS e
            INNER JOIN roots AS r ON e.account_id = r.account_id
            WHERE l.moved_to IS NULL AND l.source IN ('promo', 'adjustment', 'import') AND l.account_id <> r.root
            UNION ALL
            SELECT format('subscription %s is of account %s, which is merged', s.subscription_id, s.account_id)
            FROM wallet.subscriptions AS s INNER JOIN wallet.accounts AS a ON s.account_id = a.account_id
            WHERE a.merged_into IS NOT NULL
            UNION ALL
            SELECT format(
                'subscription %s is of account %s, which is deleted, and not released', s.subscription_id, s.account_id
            )
            FROM wallet.subscriptions AS s INNER JOIN wallet.accounts AS a ON s.account_id = a.account_id
            WHERE a.deleted_at IS NOT NULL AND s.released_at IS NULL
            UNION ALL
            SELECT format('claim %s is of account %s, which is merged', c.claim_id, c.account_id)
            FROM wallet.claims AS c INNER JOIN wallet.accounts AS a ON c.account_id = a.account_id
            WHERE a.merged_into IS NOT NULL
            UNION ALL
            SELECT format(
                'claim %s (%s, granted at %s) is of account %s, which is deleted, and not released',
                c.claim_id, c.verdict, c.granted_at, c.account_id
            )
            FROM wallet.claims AS c INNER JOIN wallet.accounts AS a ON c.account_id = a.account_id
            WHERE a.deleted_at IS NOT NULL AND c.released_at IS NULL
            UNION ALL
            SELECT format('lot %s holds %s for account %s, which is merged', l.lot_id, l.remaining, l.account_id)
            FROM wallet.lots AS l INNER JOIN wallet.accounts AS a ON l.account_id = a.account_id
            WHERE a.merged_into IS NOT NULL AND (l.remaining, l.owed) <> (0, 0)
            UNION ALL
            SELECT format('lot %s holds %s for account %s, which is deleted, and is not released',
                l.lot_id, l.remaining, l.account_id)
            FROM wallet.lots AS l INNER JOIN wallet.accounts AS a ON l.account_id = a.account_id
            WHERE a.deleted_at IS NOT NULL AND l.released_at IS NULL AND l.remaining > 0
            UNION ALL
            SELECT format('claim %s is of account %s, its lot of account %s', c.claim_id, c.account_id, l.account_id)
            FROM wallet.claims AS c INNER JOIN wallet.lots AS l ON c.claim_id = l.claim_id
            WHERE c.account_id IS DISTINCT FROM l.account_id
            UNION ALL
            SELECT format('claim %s waits for product %s, which is there', c.claim_id, p.product_id)
            FROM wallet.claims AS c INNER JOIN wallet.products AS p ON c.store_product_id = p.app_store_id
            WHERE c.verdict = 'unknown-product' AND c.granted_at IS NULL AND c.account_id IS NOT NULL
            UNION ALL
            SELECT format('user %s is of account %s, which is no more', i.user_id, i.account_id)
            FROM wallet.identities AS i INNER JOIN wallet.accounts AS a ON i.account_id = a.account_id
            WHERE a.deleted_at IS NOT NULL OR a.merged_into IS NOT NULL
            UNION ALL
            SELECT format('user %s has %s accounts', lower(i.user_id), count(*))
            FROM wallet.identities AS i GROUP BY lower(i.user_id) HAVING count(*) > 1
            UNION ALL
            SELECT format('message %s failed: %s', i.source_event_id, i.reason) FROM wallet.inbox AS i
            WHERE i.status IN ('new', 'failed')
            """
        ).map { try $0.decode("wrong") }
    }

    /// Returns the processed store messages whose purchases have no owner although they named no deleted user.
    func droppedForOthers(_ told: [String: Set<String>]) async throws -> [String] {
        let rows = try await self.root.query(
            """
            SELECT d.source_event_id, c.claim_id FROM wallet.inbox_done AS d
            CROSS JOIN LATERAL jsonb_array_elements(d.payload -> 'statements') AS s (value)
            INNER JOIN wallet.claims AS c
                ON s.value -> 'fact' ->> 'store' = c.store AND s.value -> 'fact' ->> 'transaction_id' = c.transaction_id
            WHERE d.status = 'processed' AND c.account_id IS NULL AND c.duplicate_of IS NULL
            """
        )
        var dropped: [String] = []
        for row in rows {
            let id = try row.decode("source_event_id", as: String.self)
            let names = told[id, default: []].flatMap { [$0, $0.lowercased(), $0.uppercased()] }
            let count = try await self.root.query(
                """
                SELECT count(*) AS deleted FROM unnest(\(names)::text[]) AS n (name)
                WHERE EXISTS (
                    SELECT FROM wallet.deleted_users AS d WHERE d.user_digest = wallet.user_digest(n.name)
                ) OR EXISTS (
                    SELECT FROM wallet.released_tokens AS t
                    WHERE t.token_digest = sha256(uuid_send(wallet.read_account_token(n.name)))
                )
                """
            ).first?.decode("deleted", as: Int64.self)
            let claim = try row.decode("claim_id", as: Int64.self)
            if count == 0 { dropped.append("message \(id), which named \(names), left claim \(claim) without owner") }
        }
        return dropped
    }
}
