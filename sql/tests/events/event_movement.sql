-- wallet.event_movement: the movement's data in a credits.* event.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.moved() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', d.data ->> 'unit', d.data ->> 'amount', 'leaves ' || (d.data ->> 'balance_after'), d.data ->> 'store',
        d.data ->> 'transaction_id', d.data ->> 'product_id'
    ) FROM (
        SELECT wallet.event_movement(o) AS data FROM wallet.outbox AS o ORDER BY o.event_id DESC LIMIT 1
    ) AS d;
$$;
SELECT pg_temp.buy('ann', 't1', 'starter');
SELECT is(pg_temp.moved(), 'credit 25 leaves 25 app_store t1 com.hobbyist.bookingapp.credits.starter', 'a purchase');
SELECT pg_temp.gift('ann', 5);
SELECT is(pg_temp.moved(), 'credit 5 leaves 30', 'a gift: no purchase');
SELECT pg_temp.gift('ann', 2, 'visit', '1 day');
SELECT is(pg_temp.moved(), 'visit 2 leaves 2', 'a movement of visits');
SELECT wallet.adjust(wallet.account_for('ann'), 'production', 'credit', -28, 'r', 'test', 'back');
SELECT is(pg_temp.moved(), 'credit -28 leaves 2', 'a debit from several lots is one amount');
SELECT pg_temp.buy('ann', 't1', 'starter', '{"refunded_millionths": 1000000, "source_at": "2030-02-01T00:00:00Z"}');
SELECT is(
    pg_temp.moved(), 'credit -25 leaves 2 app_store t1 com.hobbyist.bookingapp.credits.starter',
    'a refund event shows the full amount taken, spent or not'
);
SELECT is(pg_temp.funds('ann'), '2 2 25 0', 'though it is owed');
SELECT pg_temp.buy('ann', 't2', 'explorer');
SELECT is(
    pg_temp.moved(), (SELECT format(
        'credit %s leaves %s app_store t2 com.hobbyist.bookingapp.credits.explorer',
        p.amount + p.bonus, 2 + p.amount + p.bonus - 25
    ) FROM wallet.products AS p WHERE p.product_id = 'com.hobbyist.bookingapp.credits.explorer'),
    'a grant event shows the full grant, and a balance after repayments'
);
SELECT pg_temp.buy('ann', 't1', 'starter', '{"refunded_millionths": 0, "source_at": "2030-03-01T00:00:00Z"}');
SELECT matches(pg_temp.moved(), '^credit 25 leaves [0-9]+ app_store t1 ', 'a reversed refund gives back');
SELECT pg_temp.buy('bob', 't3', 'starter', '{"environment": "sandbox"}');
SELECT is(
    pg_temp.moved(), 'credit 25 leaves 25 app_store t3 com.hobbyist.bookingapp.credits.starter',
    'a movement in the sandbox'
);
SELECT pg_temp.buy('bob', 't4', 'starter', '{"refunded_millionths": 400000}');
SELECT is(pg_temp.moved(), 'credit -10 leaves 15 app_store t4 com.hobbyist.bookingapp.credits.starter', 'a share');
SELECT pg_temp.buy('eve', 't5', 'starter');
SELECT is(wallet.event_movement(o) ->> 'amount', '25', 'each event of one wallet has its own amount')
FROM wallet.outbox AS o
INNER JOIN wallet.claims AS c ON o.claim_id = c.claim_id
WHERE o.type = 'credits.granted' AND c.transaction_id = 't4';
SELECT wallet.emit('credits.expired', wallet.account_for('eve'), 'production');
SELECT is(pg_temp.moved(), 'credit 25 leaves 25', 'without claim or adjustment, the entry of its version');
SELECT * FROM finish();
ROLLBACK;
