-- wallet.settle (return_repayment): the last payer first, and never more than was repaid (see also repay_debts.sql).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
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

-- A further piece shrinks the debt before its own refund
SELECT pg_temp.buy('bob', 'b1', 'starter'), pg_temp.book('bob', 'b', 'a');
SELECT pg_temp.wait('1 second'), pg_temp.buy('bob', 'b1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.gift('bob', 25), pg_temp.wait('1 second');
SELECT pg_temp.buy('bob', 'b1', 'starter', '{"refunded_millionths": 1000000, "quantity": 2}');
SELECT is(
    pg_temp.story('bob', 3), 'adjust 25, repay -25 owed -25, grant 0, repay_return 25, refund 0 owed 25',
    'the repayment returns with the grant, and the refund is owed'
);
SELECT pg_temp.sound();

-- The lot that repaid now belongs to another account, which owes something, too
SELECT pg_temp.buy('cid', 'c1', 'starter'), pg_temp.book('cid', 'c', 'a');
SELECT pg_temp.wait('1 second'), pg_temp.buy('cid', 'c1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.buy('cid', 'c2', 'starter');
SELECT wallet.move_lots(wallet.account_for('cid'), wallet.account_for('eve'), 'production', ARRAY[l.lot_id])
FROM wallet.lots AS l INNER JOIN wallet.claims AS c ON l.claim_id = c.claim_id WHERE c.transaction_id = 'c2';
SELECT pg_temp.lesson('b', 10), pg_temp.buy('eve', 'e1', 'explorer'), pg_temp.book('eve', 'e', 'b');
SELECT pg_temp.wait('1 second'), pg_temp.buy('eve', 'e1', 'explorer', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.funds('cid') || ', ' || pg_temp.funds('eve'), '0 0 0 0, 0 0 10 0', 'before the refund is reversed');
SELECT pg_temp.wait('1 second'), pg_temp.buy('cid', 'c1', 'starter', '{"refunded_millionths": 0}');
SELECT is(
    pg_temp.funds('cid') || ', ' || pg_temp.funds('eve'), '0 0 0 0, 15 0 0 0',
    'the repayment returns to the new account and repays its debt first'
);
SELECT results_eq(
    $$ SELECT u.user_id, (o.details ->> 'amount')::integer FROM wallet.outbox AS o
       INNER JOIN wallet.users AS u ON o.account_id = u.account_id
       WHERE o.type = 'credits.granted' ORDER BY o.event_id DESC LIMIT 2 $$,
    $$ VALUES ('cid', 25), ('eve', 25) $$, 'an event reports it to the new account'
);
SELECT pg_temp.sound();

-- A period that is over and refunded repaid a visit: the visit that returns rolls over, although none is left to lapse
UPDATE wallet.products SET rollover_percentage = 100 WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.lesson('v', NULL, 1), pg_temp.buy('pia', 'p', 'singleVisit'), pg_temp.book('pia', 'p', 'v');
SELECT pg_temp.wait('1 second'), pg_temp.buy('pia', 'p', 'singleVisit', '{"refunded_millionths": 1000000}');
SELECT pg_temp.buy_month('pia', 'p1', 1), pg_temp.day(31), pg_temp.buy_month('pia', 'p2', 31);
SELECT is(pg_temp.rolled('pia'), '9/9', 'nine of ten visits roll over');
SELECT pg_temp.buy_month('pia', 'p1', 1, 100000);
SELECT is(pg_temp.rolled('pia'), '8/9', 'one visit is refunded');
SELECT pg_temp.wait('1 second'), pg_temp.buy('pia', 'p', 'singleVisit', '{"refunded_millionths": 0}');
SELECT is(pg_temp.rolled('pia'), '9/9', 'the visit that repaid the debt returns');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
