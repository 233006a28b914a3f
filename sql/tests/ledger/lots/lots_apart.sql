-- wallet.open_lot, wallet.adjust, wallet.settle, wallet.sweep, wallet.reopen_lot, wallet.return_repayment: which
-- accounts may have a lot; changes of one lot or wallet leave the others alone.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.opens(p_user text, p_source text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.open_lot(%s, %L, %L, %L, %L, 5, %L, NULL, NULL, %L, %L)', wallet.account_for(p_user),
        'production', 'adjust', 'credit', p_source, 'infinity', 'test', 'test'
    ));
$$;
SELECT pg_temp.gift('ann', 10), pg_temp.gift('bob', 10), pg_temp.gift('cid', 10);
SELECT is(pg_temp.opens('ann', s.source), 'nothing', 'a living account gets a ' || s.source)
FROM (VALUES ('promo'), ('pack')) AS s (source);
UPDATE wallet.accounts SET deleted_at = wallet.now() WHERE account_id = wallet.account_for('bob');
SELECT is(pg_temp.opens('bob', s.source), s.said, 'a deleted one and a ' || s.source)
FROM (VALUES
    ('promo', 'WL503 wallet-busy'), ('adjustment', 'WL503 wallet-busy'), ('pack', 'nothing')
) AS s (source, said);
UPDATE wallet.accounts SET merged_into = wallet.account_for('ann') WHERE account_id = wallet.account_for('cid');
SELECT is(pg_temp.opens('cid', 'pack'), 'WL503 wallet-busy', 'a merged one gets nothing');

-- Adjustments
CREATE FUNCTION pg_temp.adjusts(p_amount bigint, p_reference text, p_expires interval) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.adjust(%s, %L, %L, %s, %L, %L, %L, %L)', wallet.account_for('ann'), 'production', 'credit',
        p_amount, p_reference, 'test', 'test', wallet.now() + p_expires
    ));
$$;
SELECT is(pg_temp.adjusts(1, 'one', '0'), 'WL422 expiry-passed', 'a lot that ends now is not opened, however small');
SELECT is(pg_temp.adjusts(-1, 'minus', '-1 day'), 'nothing', 'a debit ignores the expiry');
SELECT results_eq(
    $$ SELECT a.first_version, a.entry_count, a.account_id = wallet.account_for('ann') FROM wallet.adjustments AS a
       WHERE a.reference = 'minus' $$,
    $$ VALUES (4::bigint, 1, TRUE) $$, 'an adjustment refers to its own wallet''s entries'
);

-- Expiry
SELECT pg_temp.gift('dan', 2, 'credit', '2 days'), pg_temp.gift('eve', 3, 'credit', '1 day');
SELECT pg_temp.wait('3 days');
SELECT is(wallet.sweep(1), 1, 'the limit of one call holds');
SELECT is(
    (SELECT array_agg(u.user_id) FROM wallet.wallets AS w INNER JOIN wallet.users AS u ON w.account_id = u.account_id
    WHERE w.next_expiry < 'infinity'), ARRAY['dan'], 'the longest due first'
);
SELECT is(wallet.sweep(10), 1, 'the next call sweeps the other wallet');
SELECT results_eq(
    $$ SELECT u.user_id, (o.details ->> 'amount')::integer FROM wallet.outbox AS o
       INNER JOIN wallet.users AS u ON o.account_id = u.account_id
       WHERE o.type = 'credits.expired' ORDER BY u.user_id $$,
    $$ VALUES ('dan', 2), ('eve', 3) $$, 'each wallet has an event'
);

-- A cancellation by the studio reopens the lot that paid, and no other
SELECT pg_temp.lesson('x', 2, NULL, 10, '1 day', 0);
SELECT pg_temp.gift('fay', 2, 'credit', '2 days'), pg_temp.gift('fay', 9, 'credit', '3 days');
SELECT pg_temp.gift('gus', 2, 'credit', '2 days'), pg_temp.book('fay', 'x', 'x');
SELECT pg_temp.wait('4 days'), wallet.sweep(10);
SELECT pg_temp.cancel_by(wallet.account_for('fay'), 'production', pg_temp.id_of('x'), 'studio');
SELECT results_eq(
    $$ SELECT l.granted, l.reopened_until IS NOT NULL, l.expires_at > wallet.now() FROM wallet.lots AS l
       WHERE l.account_id IN (wallet.account_for('fay'), wallet.account_for('gus')) ORDER BY l.lot_id $$,
    $$ VALUES (2::bigint, TRUE, TRUE), (9, FALSE, FALSE), (2, FALSE, FALSE) $$, 'the others stay expired'
);

-- A shrinking debt returns repayments to the last payers only
SELECT pg_temp.lesson('d', 25), pg_temp.buy('hal', 'h', 'starter'), pg_temp.book('hal', 'd', 'd');
SELECT pg_temp.wait('1 second'), pg_temp.buy('hal', 'h', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.gift('hal', 15), pg_temp.gift('hal', 10);
SELECT pg_temp.wait('1 second'), pg_temp.buy('hal', 'h', 'starter', '{"refunded_millionths": 600000}');
SELECT is(
    pg_temp.story('hal', 7), 'refund_reversal 0, repay_return 10', 'one entry for one payer, and none for the other'
);
SELECT is(pg_temp.funds('hal'), '10 0 0 0', 'the rest stays repaid');
SELECT pg_temp.wait('1 second'), pg_temp.buy('hal', 'h', 'starter', '{"refunded_millionths": 0}');
SELECT is(
    pg_temp.story('hal', 9), 'refund_reversal 0, repay_return 15', 'a payer that got everything back gets nothing more'
);
SELECT * FROM finish();
ROLLBACK;
