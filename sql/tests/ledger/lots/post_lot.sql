-- wallet.post_lot: lot and ledger change together, and only as the CHECKs allow (rules 4, 24).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT set_config('t.lot', pg_temp.gift('ann', 10)::text, TRUE);
CREATE FUNCTION pg_temp.post(
    p_granted bigint DEFAULT 0, p_spent bigint DEFAULT 0, p_lapsed bigint DEFAULT 0, p_refunded bigint DEFAULT 0,
    p_user text DEFAULT 'ann'
) RETURNS bigint LANGUAGE sql AS $$
    SELECT wallet.post_lot(
        wallet.account_for(p_user), 'production', current_setting('t.lot')::uuid, 'adjust', p_granted, p_spent,
        p_lapsed, p_refunded
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

-- Each change that lowers a debt also lowers its repaid part
SELECT set_config('t.lot', pg_temp.gift('bob', 10)::text, TRUE), pg_temp.post(p_spent => 10, p_user => 'bob');
SELECT pg_temp.post(p_refunded => 10, p_user => 'bob'), pg_temp.gift('bob', 12);
CREATE FUNCTION pg_temp.debt() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.repaid, l.owed) FROM wallet.lots AS l WHERE l.lot_id = current_setting('t.lot')::uuid;
$$;
SELECT is(pg_temp.debt(), '10 0', 'a debt that is repaid in full');
SELECT pg_temp.post(p_refunded => -1, p_user => 'bob');
SELECT is(pg_temp.debt(), '9 0', 'a reversed part of the refund');
SELECT pg_temp.post(p_spent => -2, p_user => 'bob');
SELECT is(pg_temp.debt(), '7 0', 'a return');
SELECT pg_temp.post(p_granted => 3, p_user => 'bob');
SELECT is(pg_temp.debt(), '4 0', 'a larger grant');
SELECT wallet.settle(wallet.account_for('bob'), current_setting('t.lot')::uuid);
SELECT is(pg_temp.funds('bob'), '8 0 0 0', 'the six credits that repaid too much return');

-- A first use starts the validity of a lot; a single visit is a use, and a refund is none
SELECT wallet.lock_wallet(wallet.account_for('cid'), 'production');
SELECT set_config('t.lot', wallet.open_lot(
    wallet.account_for('cid'), 'production', 'grant', 'visit', 'promo', 3, '2030-03-01 12:00:00+00', NULL, NULL,
    'actor', 'reason', p_starts_at => '2030-02-01 12:00:00+00'
)::text, TRUE);
CREATE FUNCTION pg_temp.term() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', l.starts_at::date, l.expires_at::date) FROM wallet.lots AS l
    WHERE l.lot_id = current_setting('t.lot')::uuid;
$$;
SELECT pg_temp.post(p_refunded => 1, p_user => 'cid');
SELECT is(pg_temp.term(), '2030-02-01 2030-03-01', 'a refund leaves the latest start');
SELECT pg_temp.post(p_spent => 1, p_user => 'cid');
SELECT is(pg_temp.term(), '2030-01-01 2030-01-29', 'a spent visit starts the lot');

-- A lot that has moved leaves a row in its former account
SELECT set_config('t.lot', pg_temp.gift('dan', 10)::text, TRUE), wallet.move_lots(
    wallet.account_for('dan'), wallet.account_for('eve'), 'production', ARRAY[current_setting('t.lot')::uuid]
);
SELECT pg_temp.post(p_spent => 4, p_user => 'eve');
SELECT results_eq(
    $$ SELECT u.user_id, l.spent, l.remaining FROM wallet.lots AS l
       INNER JOIN wallet.users AS u ON l.account_id = u.account_id
       WHERE l.lot_id = current_setting('t.lot')::uuid ORDER BY u.user_id $$,
    $$ VALUES ('dan', 0::bigint, 0::bigint), ('eve', 4, 6) $$, 'only the row of the present account changes'
);
SELECT pg_temp.sound('lot_parts', 'lot_terms', 'postings');
SELECT * FROM finish();
ROLLBACK;
