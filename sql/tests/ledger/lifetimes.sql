-- wallet.lifetimes: the totals of received, booked and rolled-over amounts.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 15, p_ahead => '12 hours', p_free_minutes => 60);
SELECT is_empty('SELECT FROM wallet.lifetimes', 'no rows for users without a wallet');
SELECT pg_temp.buy('ann', 't', 'starter'), pg_temp.gift('ann', 30, 'credit', '1 day'), pg_temp.gift('ann', 2, 'visit');
SELECT results_eq(
    $$ SELECT l.earned, l.spent, l.rolled, l.first_at, l.last_at FROM wallet.lifetimes AS l $$,
    $$ VALUES (55::bigint, 0::bigint, 0::bigint, wallet.now(), wallet.now()) $$, 'a purchase and a gift are earned'
);
SELECT pg_temp.wait('1 hour');
SELECT pg_temp.book('ann', 'k', 'a'), pg_temp.book('ann', 'l', 'b');
SELECT pg_temp.ask('cancel', 'ann', 'l');
SELECT results_eq(
    $$ SELECT l.earned, l.spent, l.last_at = wallet.now() FROM wallet.lifetimes AS l $$,
    $$ VALUES (55::bigint, 20::bigint, TRUE) $$, 'returned credits do not count as spent'
);
SELECT pg_temp.wait('2 days');
SELECT wallet.sweep(10);
SELECT results_eq(
    $$ SELECT l.earned, l.spent, b.credits FROM wallet.lifetimes AS l
       INNER JOIN wallet.balances AS b USING (account_id) $$,
    $$ VALUES (55::bigint, 20::bigint, 5::bigint) $$, 'lapsed credits do not count as spent'
);
SELECT pg_temp.buy('ann', 't', 'starter', jsonb_build_object(
    'refunded_millionths', 1000000, 'refunded_at', wallet.now(), 'source', 'notification', 'source_at', wallet.now()
));
SELECT results_eq(
    $$ SELECT l.earned, l.spent, b.credits FROM wallet.lifetimes AS l
       INNER JOIN wallet.balances AS b USING (account_id) $$,
    $$ VALUES (55::bigint, 20::bigint, 0::bigint) $$, 'refunded credits do not count as spent'
);
SELECT pg_temp.gift('ben', 5, 'credit', NULL, 'sandbox');
SELECT results_eq(
    $$ SELECT l.environment, l.earned FROM wallet.lifetimes AS l ORDER BY l.account_id DESC LIMIT 1 $$,
    $$ VALUES ('sandbox'::wallet.environment, 5::bigint) $$, 'each environment has separate totals'
);

-- A plan of credits rolls over, and only rolled-over credits count as such.
INSERT INTO wallet.products (
    product_id, kind, name, unit, amount, price_minor, app_store_id, period, rollover_percentage
) VALUES ('credits.monthly', 'plan', 'Forty credits', 'credit', 40, 3900, 'credits.monthly', 'P1M', 50);
SELECT pg_temp.buy('eve', 'p1', 'credits.monthly', jsonb_build_object(
    'kind', 'subscription', 'period_type', 'normal', 'expires_at', wallet.now() + interval '30 days'
));
SELECT pg_temp.wait('30 days');
SELECT pg_temp.buy('eve', 'p2', 'credits.monthly', jsonb_build_object(
    'kind', 'subscription', 'period_type', 'normal', 'original_transaction_id', 'p1',
    'expires_at', wallet.now() + interval '30 days'
));
SELECT wallet.sweep(10);
SELECT results_eq(
    $$ SELECT l.earned, l.rolled, b.credits FROM wallet.lifetimes AS l
       INNER JOIN wallet.balances AS b USING (account_id) ORDER BY l.account_id DESC LIMIT 1 $$,
    $$ VALUES (80::bigint, 20::bigint, 60::bigint) $$, 'the balance after a rollover'
);
SELECT * FROM finish();
ROLLBACK;
