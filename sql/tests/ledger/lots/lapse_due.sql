-- wallet.lapse_due: every due expiry of a wallet, soonest first (rule 6).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT
    pg_temp.gift('ann', 1, 'credit', '3 days'), pg_temp.gift('ann', 2, 'visit', '1 day'),
    pg_temp.gift('ann', 3, 'credit', '2 days'), pg_temp.gift('ann', 4), pg_temp.gift('ann', 5, 'credit', '9 days'),
    pg_temp.gift('ann', 6, 'credit', '2 days', 'sandbox'), pg_temp.gift('bob', 7, 'credit', '2 days');
SELECT pg_temp.wait('3 days'), wallet.lapse_due(wallet.account_for('ann'), 'production');
SELECT is(pg_temp.story('ann', 5), 'lapse -2, lapse -3, lapse -1', 'due lots lapse, the soonest first');
SELECT is(pg_temp.funds('ann'), '9 0 0 0', 'the rest stays');
SELECT results_eq(
    'SELECT w.credits, w.next_expiry - wallet.now() FROM wallet.wallets AS w ORDER BY w.credits',
    $$ VALUES (6::bigint, interval '-1 day'), (7, interval '-1 day'), (9, interval '6 days') $$,
    'the next expiry is stored, and other wallets are unchanged'
);
SELECT wallet.lapse_due(wallet.account_for('ann'), 'production');
SELECT is(pg_temp.story('ann', 8), NULL, 'HobbyApp 9: doing it again does nothing');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
