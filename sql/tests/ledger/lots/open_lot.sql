-- wallet.open_lot: a grant, its expiry, and the debts that it repays first (rules 4, 6, 24).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.lock_wallet(wallet.account_for('ann'), 'production');
CREATE FUNCTION pg_temp.open(
    p_amount bigint, p_expires_at timestamptz, p_source text DEFAULT 'promo', p_starts_at timestamptz DEFAULT NULL
) RETURNS uuid LANGUAGE sql AS $$
    SELECT wallet.open_lot(
        wallet.account_for('ann'), 'production', 'grant', 'visit', p_source, p_amount, p_expires_at, 'product', NULL,
        'actor', 'reason', p_starts_at => p_starts_at
    );
$$;
SELECT set_config('t.lot', pg_temp.open(5, '2030-02-01 00:00:00+00')::text, TRUE);
SELECT results_eq(
    $$ SELECT l.unit::text, l.source::text, l.product_id, l.granted, l.remaining, l.owed, l.is_open, l.expires_at
       FROM wallet.lots AS l WHERE l.lot_id = current_setting('t.lot')::uuid $$,
    $$ VALUES ('visit', 'promo', 'product', 5::bigint, 5::bigint, 0::bigint, TRUE,
       '2030-02-01 00:00:00+00'::timestamptz) $$,
    'a lot'
);
SELECT is(
    (SELECT w.next_expiry FROM wallet.wallets AS w), '2030-02-01 00:00:00+00'::timestamptz,
    'the wallet stores the expiry'
);
SELECT pg_temp.open(1, '2030-03-01 00:00:00+00');
SELECT is(
    (SELECT w.next_expiry FROM wallet.wallets AS w), '2030-02-01 00:00:00+00'::timestamptz,
    'a later end changes nothing'
);
SELECT pg_temp.open(2, '2030-01-15 00:00:00+00');
SELECT is(
    (SELECT w.next_expiry FROM wallet.wallets AS w), '2030-01-15 00:00:00+00'::timestamptz, 'an earlier one does'
);
SELECT pg_temp.open(4, '2029-12-31 00:00:00+00');
SELECT is(
    pg_temp.story('ann'), 'grant 5, grant 1, grant 2, grant 4, lapse -4',
    'a lot that has already expired lapses at once'
);
SELECT pg_temp.open(3, wallet.now());
SELECT is(pg_temp.story('ann', 5), 'grant 3, lapse -3', 'a lot that expires at this instant lapses, too');
SELECT is(
    (SELECT count(*)::integer FROM wallet.entry_texts AS t WHERE t.actor = 'actor' AND t.reason = 'reason'), 5,
    'actor and reason are kept'
);
SELECT is(pg_temp.raised('SELECT pg_temp.open(-1, ''infinity'')'), '23514', 'a negative grant is refused');
SELECT is(pg_temp.raised('SELECT pg_temp.open(1, ''infinity'', ''gift'')'), '23514', 'an unknown source is refused');
SELECT is(
    pg_temp.raised($$ SELECT pg_temp.open(1, '2031-01-01', 'pack') $$), '23514',
    'App Review 3.1.1: bought credits never expire (rule 5)'
);

-- A debt of one credit
SELECT pg_temp.lesson('one', 1), pg_temp.buy('cid', 'c', 'starter'), pg_temp.book('cid', 'c', 'one');
SELECT pg_temp.wait('1 second'), pg_temp.buy('cid', 'c', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.gift('cid', 3);
SELECT is(pg_temp.funds('cid'), '2 0 0 0', 'a new lot repays it');

-- The wallet stores the first expiry and the last start of its own lots
SELECT wallet.lock_wallet(wallet.account_for('ann'), 'sandbox');
SELECT wallet.lock_wallet(wallet.account_for('bob'), 'production');
SELECT wallet.sweep(10);
SELECT pg_temp.open(1, '2030-01-10', 'promo', '2030-01-08'), pg_temp.open(1, '2030-01-20', 'promo', '2030-01-05');
SELECT results_eq(
    $$ SELECT u.user_id, w.environment::text, w.next_expiry, w.last_start FROM wallet.wallets AS w
       INNER JOIN wallet.users AS u ON w.account_id = u.account_id ORDER BY u.user_id, w.environment $$,
    $$ VALUES ('ann', 'production', '2030-01-10'::timestamptz, '2030-01-08'::timestamptz),
              ('ann', 'sandbox', 'infinity', '-infinity'), ('bob', 'production', 'infinity', '-infinity'),
              ('cid', 'production', 'infinity', '-infinity') $$,
    'an earlier start changes nothing, and other wallets stay unchanged'
);
SELECT pg_temp.sound('lot_terms', 'postings');
SELECT * FROM finish();
ROLLBACK;
