-- wallet.post: versions, sums, hash chain and instants of a ledger (rules 6, 8, 9).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.posting(
    p_user text, p_kind text, p_unit wallet.unit, p_amount bigint, p_at timestamptz DEFAULT NULL
) RETURNS wallet.posting LANGUAGE sql AS $$
    SELECT jsonb_populate_record(NULL::wallet.posting, jsonb_build_object(
        'account_id', wallet.account_for(p_user), 'environment', 'production', 'kind', p_kind, 'unit', p_unit,
        'amount', p_amount, 'owed_change', 0, 'at', p_at
    ));
$$;
CREATE FUNCTION pg_temp.post(
    p_user text, p_kind text, p_unit wallet.unit, p_amount bigint, p_at timestamptz DEFAULT NULL
) RETURNS bigint[] LANGUAGE sql AS $$
    SELECT wallet.post(ARRAY[pg_temp.posting(p_user, p_kind, p_unit, p_amount, p_at)]);
$$;
SELECT pg_temp.gift('ann', 10), pg_temp.gift('ann', 3, 'visit'), pg_temp.lesson('a', 4), pg_temp.book('ann', 'k', 'a');
SELECT results_eq(
    $$ SELECT e.version, e.kind::text, e.unit::text, e.amount, e.balance_after
       FROM wallet.entries AS e ORDER BY e.version $$,
    $$ VALUES (1::bigint, 'adjust', 'credit', 10::bigint, 10::bigint), (2, 'adjust', 'visit', 3, 3),
              (3, 'spend', 'credit', -4, 6) $$,
    'versions have no gap and each entry its balance'
);
SELECT results_eq(
    $$ SELECT e.prev_hash = coalesce(lag(e.hash) OVER (ORDER BY e.version), decode(repeat('00', 32), 'hex'))
       FROM wallet.entries AS e ORDER BY e.version $$,
    $$ VALUES (TRUE), (TRUE), (TRUE) $$, 'each entry links to the one before'
);
SELECT is(
    (SELECT w.head_hash FROM wallet.wallets AS w), (SELECT e.hash FROM wallet.entries AS e WHERE e.version = 3),
    'the wallet carries the last hash'
);
SELECT pg_temp.wait('-1 year');
SELECT pg_temp.gift('ann', 1);
SELECT is(
    (SELECT e.at FROM wallet.entries AS e WHERE e.version = 4),
    (SELECT e.at FROM wallet.entries AS e WHERE e.version = 3),
    'a clock that is set back does not run back in a ledger'
);
SELECT pg_temp.post('ann', 'import', 'credit', 0, i.at::timestamptz)
FROM (VALUES ('2030-01-02T00:00Z'), ('2029-01-01T00:00Z'), (NULL)) AS i (at);
SELECT results_eq(
    'SELECT e.at FROM wallet.entries AS e WHERE e.version > 4 ORDER BY e.version',
    $$ SELECT '2030-01-02T00:00Z'::timestamptz FROM generate_series(1, 3) $$,
    'an entry may have a different instant, but none before the previous entry'
);
SELECT ok(
    (SELECT t.salt <> u.salt AND e.actor_digest <> f.actor_digest
    FROM wallet.entry_texts AS t, wallet.entry_texts AS u, wallet.entries AS e, wallet.entries AS f
    WHERE t.version = 1 AND u.version = 2 AND e.version = 1 AND f.version = 2),
    'the same actor has another digest in each entry: salted'
);
SELECT pg_temp.sound('postings');
DELETE FROM wallet.entry_texts;
SELECT pg_temp.sound('postings');
SELECT is(
    (SELECT count(*)::integer FROM wallet.ledger AS l WHERE l.actor IS NOT NULL OR l.reason IS NOT NULL), 0,
    'erasing names and reasons leaves the chain whole'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.post('ann', 'spend', 'credit', -12) $$),
    '23514', 'a negative balance is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.post('ann', 'mint', 'credit', 1) $$),
    '23514', 'an unknown kind is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.post('ann', 'spend', NULL, 1) $$),
    '23514', 'an amount without a unit is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.post('new', 'grant', 'credit', 1) $$),
    'P0002', 'an entry without a wallet is refused'
);
-- Entries of several wallets, mixed, as a batch of bookings posts them.
CREATE FUNCTION pg_temp.head(p_user text, p_environment wallet.environment DEFAULT 'production')
RETURNS wallet.wallet_head LANGUAGE sql AS $$
    SELECT w.ctid, w.account_id, w.environment, w.credits, w.visits, 0::bigint, 0::bigint, w.version, w.head_hash,
        w.last_at
    FROM wallet.wallets AS w
    WHERE w.account_id = wallet.account_for(p_user) AND w.environment = p_environment;
$$;
CREATE FUNCTION pg_temp.mixed(p_environment wallet.environment, p_heads text[] DEFAULT '{}') RETURNS wallet.posting[]
LANGUAGE sql AS $$
    SELECT ARRAY(
        SELECT jsonb_populate_record(
            pg_temp.posting(i.name, 'import', i.unit::wallet.unit, i.amount), jsonb_build_object(
                'environment', CASE WHEN i.is_other THEN p_environment ELSE 'production' END, 'owed_change', i.owed,
                'head', array_position(p_heads, i.name || CASE WHEN i.is_other THEN ' other' ELSE '' END)
            )
        ) FROM (VALUES
            (1, 'bob', 'credit', 5, 0, FALSE), (2, 'cid', 'visit', 2, 1, FALSE), (3, 'bob', 'visit', 3, 0, TRUE),
            (4, 'bob', 'credit', -1, 4, FALSE), (5, 'cid', 'visit', 0, -1, FALSE), (6, 'bob', 'visit', 1, 0, TRUE)
        ) AS i (place, name, unit, amount, owed, is_other)
        ORDER BY i.place
    );
$$;
SELECT wallet.lock_wallet(wallet.account_for('bob'), 'production'),
    wallet.lock_wallet(wallet.account_for('bob'), 'sandbox'),
    wallet.lock_wallet(wallet.account_for('cid'), 'production');
SELECT is(
    wallet.post(pg_temp.mixed('sandbox')), '{1, 1, 1, 2, 2, 2}', 'each wallet of a call has its own versions'
);
SELECT is(pg_temp.funds('bob'), '4 0 4 0', 'each wallet has its own sums');
SELECT is(pg_temp.funds('cid'), '0 2 0 0', 'the debts of both units are kept apart');
SELECT is(
    wallet.post(pg_temp.mixed('sandbox', '{bob,cid,bob other}'), ARRAY[
        pg_temp.head('bob'), pg_temp.head('cid'), pg_temp.head('bob', 'sandbox')
    ]), '{3, 3, 3, 4, 4, 4}', 'heads that the caller has read give the same'
);
SELECT is(
    wallet.post(pg_temp.mixed('production', '{cid}'), ARRAY[pg_temp.head('cid')]), '{5, 5, 6, 7, 6, 8}',
    'heads that the caller has not read are read'
);
SELECT is(
    wallet.post((pg_temp.mixed('sandbox'))[3:3] || (pg_temp.mixed('sandbox'))[1:1] || (pg_temp.mixed('sandbox'))[4:4]),
    '{5, 9, 10}', 'two entries of a wallet after one of the same account''s other wallet follow each other'
);
SELECT is(
    (SELECT array_agg(e.version ORDER BY e.version) FROM wallet.entries AS e
    LEFT JOIN wallet.entries AS b
        ON e.account_id = b.account_id AND e.environment = b.environment AND e.version = b.version + 1
    WHERE e.account_id IN (wallet.account_for('bob'), wallet.account_for('cid')) AND (
        e.hash <> wallet.entry_hash(e)
        OR e.prev_hash <> coalesce(b.hash, decode(repeat('00', 32), 'hex'))
    )), NULL, 'each chain is whole'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.post(
        ARRAY[jsonb_populate_record(pg_temp.posting('bob', 'import', 'credit', 1), '{"head": 1}')],
        ARRAY[jsonb_populate_record(pg_temp.head('bob'), '{"at": "(9,9)"}')]
    ) $$), 'P0001', 'a wallet that moved since its head was read is refused'
);
SELECT is(wallet.post('{}'), '{}', 'no posting, no entry');
SELECT wallet.post(ARRAY[
    jsonb_populate_record(
        pg_temp.posting('cid', 'import', 'visit', 1), '{"actor": "an operator", "reason": "a reason"}'
    ), pg_temp.posting('cid', 'import', 'visit', 1)
]);
SELECT results_eq(
    $$ SELECT num_nulls(e.actor_digest, e.reason_digest), t.actor, t.reason FROM wallet.entries AS e
       LEFT JOIN wallet.entry_texts AS t
           ON e.account_id = t.account_id AND e.environment = t.environment AND e.version = t.version
       WHERE e.account_id = wallet.account_for('cid') ORDER BY e.version DESC LIMIT 2 $$,
    $$ VALUES (2, NULL::text, NULL::text), (0, 'an operator', 'a reason') $$,
    'an entry without an actor has no digest, whatever the one before it has'
);
SELECT pg_temp.lesson('a', 25), pg_temp.buy('dora', 'd1', 'starter'), pg_temp.book('dora', 'd', 'a');
SELECT pg_temp.wait('1 second'), pg_temp.buy('dora', 'd1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.gift('dora', 25), pg_temp.wait('1 second');
SELECT pg_temp.buy('dora', 'd1', 'starter', '{"refunded_millionths": 1000000, "quantity": 2}');
SELECT is(
    pg_temp.story('dora', 3), 'adjust 25, repay -25 owed -25, grant 0, repay_return 25, refund 0 owed 25',
    'a larger grant of a lot lowers its debt, so its repayment returns'
);
SELECT * FROM finish();
ROLLBACK;
