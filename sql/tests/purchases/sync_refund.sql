-- wallet.sync_claim: a lot's refunded part follows its claim (rules 24, 25).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.sync(p_millionths integer) RETURNS text LANGUAGE sql AS $$
    UPDATE wallet.claims SET refunded_millionths = p_millionths WHERE transaction_id = 't';
    SELECT wallet.sync_claim((pg_temp.claim('t')).claim_id);
    SELECT pg_temp.funds('ann');
$$;
SELECT pg_temp.buy('ann', 't', 'starter'), pg_temp.lesson('a', 20), pg_temp.book('ann', 'k', 'a');
SELECT is(pg_temp.sync(100000), '3 0 0 0', '2.5 of 25 are 2: rounded down');
SELECT is(pg_temp.sync(100000), '3 0 0 0', 'a second call changes nothing');
SELECT is(pg_temp.sync(1000000), '0 0 20 0', 'a full refund: spent credits are owed');
SELECT pg_temp.buy('ann', 'u', 'explorer');
SELECT is(pg_temp.funds('ann'), '30 0 0 0', 'a new purchase pays the debt');
SELECT is(pg_temp.sync(0), '55 0 0 0', 'a reversed refund returns the repayment to its payer');
SELECT is(
    pg_temp.story('ann', 2), 'refund -2, refund -3 owed 20, grant 50, repay -20 owed -20, '
    || 'refund_reversal 5, repay_return 20', 'the entries of the ledger'
);
SELECT results_eq(
    $$ SELECT o.type, (o.details ->> 'amount')::bigint FROM wallet.outbox AS o
       WHERE o.claim_id = (pg_temp.claim('t')).claim_id ORDER BY o.event_id $$,
    $$ VALUES ('credits.granted', 25::bigint), ('credits.refunded', 2), ('credits.refunded', 23),
       ('credits.granted', 25) $$, 'each change is one event'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
