-- wallet.post_entry: versions, sums, hash chain and instants of a ledger (rules 6, 8, 9).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
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
SELECT wallet.post_entry(
    wallet.account_for('ann'), 'production', 'import', 'credit', 0, 0, NULL, NULL, NULL, NULL, NULL, i.at::timestamptz
) FROM (VALUES ('2030-01-02T00:00Z'), ('2029-01-01T00:00Z'), (NULL)) AS i (at);
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
    pg_temp.raised($$ SELECT wallet.post_entry(
        wallet.account_for('ann'), 'production', 'spend', 'credit', -12, 0, NULL, NULL, NULL, NULL, NULL) $$),
    '23514', 'a negative balance is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.post_entry(
        wallet.account_for('ann'), 'production', 'mint', 'credit', 1, 0, NULL, NULL, NULL, NULL, NULL) $$),
    '23514', 'an unknown kind is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.post_entry(
        wallet.account_for('ann'), 'production', 'spend', NULL, 1, 0, NULL, NULL, NULL, NULL, NULL) $$),
    '23514', 'an amount without a unit is refused'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.post_entry(
        wallet.account_for('new'), 'production', 'grant', 'credit', 1, 0, NULL, NULL, NULL, NULL, NULL) $$),
    'P0002', 'an entry without a wallet is refused'
);
SELECT * FROM finish();
ROLLBACK;
