-- wallet.followed_changes: returns each followed wallet that has changed once, and no other wallets.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
-- Follows every wallet of the given users; returns is_complete and the changed wallets, in order.
CREATE FUNCTION pg_temp.changes(p_since xid8, p_limit integer, VARIADIC p_users text[]) RETURNS text
LANGUAGE sql AS $$
    SELECT concat_ws(' ', f.is_complete, string_agg(i.user_id || '/' || c.environment, ' ' ORDER BY i.user_id, 1))
    FROM wallet.followed_changes(ARRAY(
        SELECT o.account_id FROM wallet.identities AS o WHERE o.user_id = ANY(p_users)
    ), p_since, p_limit) AS f
    LEFT JOIN unnest(f.account_ids, f.environments) AS c (account_id, environment) ON TRUE
    LEFT JOIN (
        SELECT o.user_id, o.account_id FROM wallet.identities AS o WHERE o.merged_at IS NULL
        UNION ALL SELECT 'gone', o.account_id FROM wallet.accounts AS o
        WHERE o.deleted_at IS NOT NULL OR o.merged_into IS NOT NULL
    ) AS i ON c.account_id = i.account_id
    GROUP BY f.is_complete;
$$;
CREATE FUNCTION pg_temp.at_xid(p_xid xid8) RETURNS void LANGUAGE sql AS $$
    UPDATE wallet.outbox AS o SET xid = p_xid WHERE o.xid = pg_current_xact_id();
$$;
SELECT is(pg_temp.changes(NULL, 10, 'ann'), 'f', 'the first call asks for a full read');
SELECT is(
    (SELECT f.until FROM wallet.followed_changes('{}', NULL, 10) AS f), pg_snapshot_xmin(pg_current_snapshot()),
    'the answer covers everything before the oldest running transaction'
);
SELECT pg_temp.gift('ann', 1), pg_temp.gift('ann', 2), pg_temp.gift('bea', 3);
SELECT is(pg_temp.changes('3', 10, 'ann', 'bea'), 't', 'uncommitted changes are not reported');
SELECT pg_temp.at_xid('5');
SELECT is(pg_temp.changes('3', 10, 'ann'), 't ann/production', 'one wallet with two events is named once');
SELECT is(pg_temp.changes('3', 10, 'ann', 'bea'), 't ann/production bea/production', 'all changed wallets are named');
SELECT is(pg_temp.changes('3', 10, 'nobody'), 't', 'wallets that are not followed are not named');
SELECT is(pg_temp.changes('5', 10, 'bea'), 't bea/production', 'a transaction that ended meanwhile is not missed');
SELECT is(pg_temp.changes('6', 10, 'ann', 'bea'), 't', 'changes before the given point are not reported');
SELECT is(pg_temp.changes('3', 3, 'ann'), 't ann/production', 'events up to the limit are read');
SELECT is(pg_temp.changes('3', 2, 'ann'), 'f', 'too many changes ask for a full read');
SELECT is(pg_temp.changes('900000000000', 10, 'ann'), 'f', 'a point from another cluster asks for a full read');
SELECT wallet.delete_account('ann', NULL);
SELECT is(
    pg_temp.changes('6', 10, 'ann', 'bea'), 't', 'a deleted user is known under no name'
);
SELECT is(
    (SELECT array_agg(c.environment ORDER BY c.environment)::text
     FROM wallet.followed_changes((
         SELECT array_agg(a.account_id) FROM wallet.accounts AS a WHERE a.deleted_at IS NOT NULL
     ), '6', 10) AS f, unnest(f.environments) AS c (environment)),
    '{production,sandbox}', 'both wallets of a deleted account are named'
);
SELECT pg_temp.gift('cat', 1);
SELECT a.account_id AS cat FROM wallet.identities AS a WHERE a.user_id = 'cat' \gset
UPDATE wallet.identities SET is_anonymous = TRUE WHERE user_id = 'cat';
SELECT wallet.merge_accounts('cat', 'bea');
SELECT is(
    (SELECT array_agg(c.environment ORDER BY c.environment)::text
     FROM wallet.followed_changes(ARRAY[:cat], '6', 10) AS f, unnest(f.environments) AS c (environment)),
    '{production,sandbox}', 'changes of a merged account are reported for the remaining one'
);
SELECT * FROM finish();
ROLLBACK;
