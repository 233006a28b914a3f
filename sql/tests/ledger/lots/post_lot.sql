-- wallet.post_lot: lot and ledger change together, and only as the CHECKs allow (rules 4, 24).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT set_config('t.lot', pg_temp.gift('ann', 10)::text, TRUE);
CREATE FUNCTION pg_temp.post(
    p_granted bigint DEFAULT 0, p_spent bigint DEFAULT 0, p_lapsed bigint DEFAULT 0, p_refunded bigint DEFAULT 0
) RETURNS bigint LANGUAGE sql AS $$
    SELECT wallet.post_lot(
        wallet.account_for('ann'), 'production', current_setting('t.lot')::uuid, 'adjust', p_granted, p_spent, p_lapsed,
        p_refunded
    );
$$;
SELECT is(pg_temp.post(p_spent => 4), 2::bigint, 'the function returns the entry''s version');
SELECT is(pg_temp.funds('ann'), '6 0 0 0', 'spending');
SELECT pg_temp.post(p_refunded => 10);
SELECT is(pg_temp.funds('ann'), '0 0 4 0', 'refunded credits that were spent are owed');
SELECT pg_temp.post(p_spent => -4);
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'a return pays the debt');
SELECT pg_temp.post(p_refunded => -10);
SELECT is(
    pg_temp.story('ann'), 'adjust 10, adjust -4, adjust -6 owed 4, adjust 0 owed -4, adjust 10',
    'each change is one entry'
);
SELECT is(pg_temp.raised(format('SELECT pg_temp.post(%s)', i.change)), '23514', i.what) FROM (VALUES
    ('p_spent => 11', 'more than was granted cannot be spent'),
    ('p_spent => -1', 'spent is never negative: nothing returns twice'),
    ('p_lapsed => 11', 'more than was granted cannot lapse'),
    ('p_lapsed => -1', 'lapsed is never negative'),
    ('p_refunded => 11', 'more than was granted cannot be refunded'),
    ('p_refunded => -1', 'refunded is never negative'),
    ('p_granted => -11', 'no grant is negative'),
    ('p_spent => 6, p_lapsed => 5', 'spent and lapsed stay within the grant')
) AS i (change, what);
SELECT is(
    pg_temp.raised($$ SELECT wallet.post_lot(wallet.account_for('ann'), 'production', gen_random_uuid(), 'spend') $$),
    'P0002', 'a lot that does not exist'
);
SELECT is(
    pg_temp.raised($$ SELECT wallet.post_lot(
        wallet.account_for('bob'), 'production', current_setting('t.lot')::uuid, 'spend') $$),
    'P0002', 'another account''s lot is refused'
);
SELECT is(
    pg_temp.raised('SELECT pg_temp.post(p_granted => 9223372036854775807)'), '22003', 'numbers do not wrap around'
);
SELECT pg_temp.sound('lot_parts', 'postings');
SELECT * FROM finish();
ROLLBACK;
