-- wallet.settle (return_repayment): the last payer first, and never more than was repaid (see also repay_debts.sql).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 25), pg_temp.buy('ann', 'a1', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 'a1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.gift('ann', 10), pg_temp.gift('ann', 10);
SELECT is(pg_temp.funds('ann'), '0 0 5 0', 'two gifts repay 20 of 25');
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 'a1', 'starter', '{"refunded_millionths": 480000}');
SELECT is(pg_temp.funds('ann'), '8 0 0 0', 'a refund of 12 of the 25 leaves 12 repaid: 8 come back');
SELECT results_eq(
    $$ SELECT l.spent FROM wallet.lots AS l WHERE l.source = 'adjustment' ORDER BY l.lot_id $$,
    $$ VALUES (10::bigint), (2) $$, 'the last payer gets its amount back first'
);
SELECT results_eq(
    $$ SELECT r.amount FROM wallet.repayments AS r ORDER BY r.payer_lot_id $$, $$ VALUES (10::bigint), (2) $$,
    'the repayments have the rest'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 'a1', 'starter', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('ann'), '8 0 13 0', 'a later refund is owed, and spendable credits stay');
SELECT pg_temp.gift('ann', 3);
SELECT is(pg_temp.funds('ann'), '8 0 10 0', 'the debt stays until the next grant');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
