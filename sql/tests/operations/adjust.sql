-- wallet.adjust: administrators' postings, once per reference (rule 8).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.adjusts(
    p_amount bigint, p_reference text, p_unit wallet.unit DEFAULT 'credit', p_user text DEFAULT 'ann',
    p_reason text DEFAULT 'because', p_environment wallet.environment DEFAULT 'production'
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'DO $do$ BEGIN IF NOT wallet.adjust(%L, %L, %L, %L, %L, %L, %L) THEN
             RAISE EXCEPTION USING ERRCODE = ''WL200'', MESSAGE = ''known''; END IF; END $do$',
        wallet.account_for(p_user), p_environment, p_unit, p_amount, p_reference, 'admin', p_reason
    ));
$$;
SELECT is(pg_temp.adjusts(100, 'r1'), 'nothing', 'credits are given');
SELECT is(pg_temp.adjusts(100, 'r1'), 'WL200 known', 'lago #3618: once for a reference');
SELECT is(pg_temp.adjusts(101, 'r1'), 'WL409 reference-reused', 'another amount');
SELECT is(pg_temp.adjusts(100, 'r1', 'visit'), 'WL409 reference-reused', 'another unit');
SELECT is(pg_temp.adjusts(100, 'r1', 'credit', 'bob'), 'WL409 reference-reused', 'another user');
SELECT is(
    pg_temp.adjusts(100, 'r1', 'credit', 'ann', 'because', 'sandbox'), 'WL409 reference-reused', 'another environment'
);
SELECT is(pg_temp.funds('ann'), '100 0 0 0', 'moved nothing');
SELECT pg_temp.gift('ann', 10, 'credit', '5 days');
SELECT is(pg_temp.adjusts(-15, 'r2'), 'nothing', 'credits are taken');
SELECT is(pg_temp.story('ann', 2), 'adjust -10, adjust -5', 'the amount is taken in burn order');
SELECT results_eq(
    $$ SELECT a.amount, a.first_version, a.entry_count FROM wallet.adjustments AS a WHERE a.reference = 'r2' $$,
    $$ VALUES (-15::bigint, 3::bigint, 2) $$, 'the adjustment refers to its entries'
);
SELECT results_eq(
    $$ SELECT l.actor, l.reason FROM wallet.ledger AS l WHERE l.version IN (1, 3, 4) ORDER BY l.version $$,
    $$ VALUES ('admin', 'because'), ('admin', 'because'), ('admin', 'because') $$, 'each entry has actor and reason'
);
SELECT results_eq(
    'SELECT o.type::text FROM wallet.outbox AS o ORDER BY o.event_id',
    $$ VALUES ('credits.granted'), ('credits.granted'), ('credits.debited') $$, 'each adjustment sends an event'
);
SELECT results_eq(
    $$ SELECT a.action, a.before ->> 'credits', a.after ->> 'credits', t.actor, t.reason
       FROM wallet.audit AS a INNER JOIN wallet.audit_texts AS t ON a.audit_id = t.audit_id
       WHERE t.reference IN ('r1', 'r2') ORDER BY a.audit_id $$,
    $$ VALUES ('adjust', '0', '100', 'admin', 'because'), ('adjust', '110', '95', 'admin', 'because') $$,
    'the audit has each adjustment with the balance before and after it'
);
SELECT pg_temp.gift('one', 1, 'credit', '5 days'), pg_temp.gift('one', -1, 'credit', '5 days');
SELECT results_eq(
    $$ SELECT a.expires_at FROM wallet.adjustments AS a
       WHERE a.account_id = wallet.account_for('one') ORDER BY a.first_version $$,
    $$ SELECT i.at FROM (VALUES (wallet.now() + interval '5 days'), ('infinity')) AS i (at) $$,
    'an adjustment stores the expiry of its lot, and a deduction stores none'
);

-- Wallets of both environments with separate entries
CREATE TEMPORARY TABLE given AS SELECT * FROM (VALUES
    (5, 's1', 'sandbox'::wallet.environment), (6, 's2', 'sandbox'), (7, 'p1', 'production'), (8, 's3', 'sandbox'),
    (9, 'p2', 'production')
) AS c (amount, reference, environment);
SELECT pg_temp.adjusts(g.amount, g.reference, 'visit', 'two', 'for ' || g.reference, g.environment) FROM given AS g;
SELECT is(
    pg_temp.adjusts(g.amount, g.reference, 'visit', 'two', 'for ' || g.reference, g.environment), 'WL200 known',
    g.reference || ' again, for the same reason'
) FROM given AS g;
SELECT is(
    pg_temp.adjusts(7, 'p1', 'visit', 'two', 'for p2'), 'WL409 reference-reused', 'a reference for another reason'
);
SELECT results_eq(
    $$ SELECT a.reference, a.first_version, a.entry_count FROM wallet.adjustments AS a
       WHERE a.account_id = wallet.account_for('two') ORDER BY a.reference $$,
    $$ VALUES ('p1', 1::bigint, 1), ('p2', 2, 1), ('s1', 1, 1), ('s2', 2, 1), ('s3', 3, 1) $$,
    'an adjustment refers to entries of its own wallet'
);

-- Another wallet's adjustment takes the reference while this wallet posts
CREATE FUNCTION pg_temp.takes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF new.reference = 'raced' AND pg_trigger_depth() = 1 THEN
        INSERT INTO wallet.adjustments
        SELECT (jsonb_populate_record(a, '{"reference": "raced"}')).* FROM wallet.adjustments AS a
        WHERE a.reference = 'r1';
    END IF;
    RETURN new;
END;
$$;
CREATE TRIGGER takes BEFORE INSERT ON wallet.adjustments FOR EACH ROW EXECUTE FUNCTION pg_temp.takes();
SELECT is(
    pg_temp.adjusts(1, 'raced', 'visit', 'two'), 'WL409 reference-reused', 'a reference that is taken meanwhile'
);
SELECT is(pg_temp.funds('two'), '0 16 0 0', 'the losing wallet posts nothing');

SELECT is(
    substring(pg_temp.adjusts(-96, 'r3') FROM '^WL409 balance-too-low ({.*})$')::jsonb,
    '{"unit": "credit", "required": 96, "available": 95, "needed": 1}',
    'a larger debit is refused, without offers'
);
SELECT is(pg_temp.adjusts(-95, 'r3'), 'nothing', 'the reference of a refused adjustment is still free');
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'down to nothing');
SELECT is(pg_temp.adjusts(0, 'r4'), 'WL422 amount-is-zero', 'an amount of 0 is refused');
SELECT is(pg_temp.adjusts(NULL, 'r4'), 'WL422 amount-is-zero', 'a null amount is refused');
SELECT is(pg_temp.adjusts(1, 'r4', 'credit', 'ann', '  '), 'WL422 reason-required', 'a reason is required');
SELECT is(pg_temp.adjusts(1, 'r4', 'credit', 'ann', NULL), 'WL422 reason-required', 'a null reason is refused');
SELECT is(pg_temp.adjusts(1, NULL), '23502', 'a reference is required');
SELECT is(pg_temp.adjusts(1, ''), '23514', 'an empty reference is refused');
SELECT is(pg_temp.adjusts(1000000000000, 'max'), 'nothing', 'the largest number');
SELECT is(
    pg_temp.adjusts(a.amount, 'over'), 'WL422 amount-too-large {"maximum": 1000000000000}', a.amount || ' is too large'
) FROM unnest(ARRAY[1000000000001, -1000000000001, 9223372036854775807, (-9223372036854775808)::bigint]) AS a (amount);
SELECT pg_temp.adjusts(1000000000000, 'max ' || i) FROM generate_series(1, 998) AS i;
SELECT is(pg_temp.adjusts(1000000000000, 'max 999'), 'nothing', 'a thousand of them fit into a wallet');
SELECT is(pg_temp.adjusts(1, 'more'), '23514', 'the refusal keeps sums far from an overflow');
SELECT is(
    pg_temp.raised($$ SELECT wallet.adjust(-1, 'production', 'credit', 1, 'r', 'a', 'b') $$), '23503',
    'an unknown account'
);

-- Gifts: lots of a separate source, which may expire and lapse with the account
SELECT is(
    pg_temp.raised(format(
        $$ SELECT wallet.adjust(%s, 'production', 'visit', 2, 'g1', 'admin', 'birthday', %L, 'promo') $$,
        wallet.account_for('gil'), wallet.now() + interval '7 days'
    )), 'nothing', 'a gift'
);
SELECT results_eq(
    $$ SELECT l.source::text, l.granted, l.expires_at - wallet.now() FROM wallet.lots AS l
       WHERE l.account_id = wallet.account_for('gil') $$,
    $$ VALUES ('promo', 2::bigint, interval '7 days') $$, 'a gift is a promo lot with its own expiry'
);
SELECT is(
    pg_temp.raised(format(
        $$ SELECT wallet.adjust(%s, 'production', 'visit', %s, %L, 'admin', 'b', 'infinity', %L) $$,
        wallet.account_for('gil'), c.amount, c.reference, c.source
    )), c.answer, c.description
) FROM (VALUES
    (2, 'g1', 'adjustment', 'WL409 reference-reused', 'a gift is no adjustment'),
    (-1, 'g2', 'promo', 'WL422 gift-not-positive', 'a negative gift is refused'),
    (0, 'g2', 'promo', 'WL422 amount-is-zero', 'a gift of 0 is refused'),
    (1, 'g2', 'plan', '23514', 'other sources are refused'),
    (1, 'g2', NULL, '23502', 'a missing source is refused')
) AS c (amount, reference, source, answer, description);
SELECT is(
    pg_temp.raised(format(
        $$ SELECT wallet.adjust(%s, 'production', 'visit', 2, 'g2', 'admin', 'late', %L, %L) $$,
        wallet.account_for('gil'), wallet.now(), g.source
    )), 'WL422 expiry-passed', g.source || ': an expiry in the past is refused'
) FROM unnest('{promo,adjustment}'::text[]) AS g (source);
INSERT INTO admin.adjustments (reference, user_id, unit, amount, reason, source)
VALUES ('g3', 'gil', 'visit', 1, 'sorry', 'gift');
SELECT is(
    (SELECT a.source FROM admin.adjustments AS a WHERE a.reference = 'g3'), 'gift', 'administrators give, too'
);
SELECT is(pg_temp.adjusts(5, 'for gil', 'visit', 'gil'), 'nothing', 'a reference may name its user');
SELECT wallet.delete_account('gil');
SELECT is(
    pg_temp.adjusts(5, 'for gil', 'visit', 'gil'), 'WL409 reference-reused',
    'an erased reference still posts once'
);
SELECT is_empty(
    $$ SELECT FROM wallet.lots AS l WHERE l.source = 'promo' AND l.remaining > 0 $$,
    'gifts lapse with the account'
);

-- A reference stays used after its user is merged
SELECT is(pg_temp.adjusts(5, 'for a guest', 'credit', 'guest'), 'nothing', 'a guest is given credits');
SELECT wallet.merge_accounts('guest', 'hal');
SELECT is(pg_temp.adjusts(5, 'for a guest', 'credit', 'guest'), 'WL200 known', 'a repetition for the merged user');
SELECT is(pg_temp.adjusts(5, 'for a guest', 'credit', 'hal'), 'WL200 known', 'a repetition for the remaining user');
SELECT is(
    pg_temp.adjusts(6, 'for a guest', 'credit', 'guest'), 'WL409 reference-reused', 'another amount after the merge'
);
SELECT is(pg_temp.funds('hal'), '5 0 0 0', 'the credits are there once');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
