-- wallet.warn: events before credits run low or expire (rule 41). isolation/ledger/warning_and_booking.spec tests
-- concurrent calls.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
-- Warns below 5 credits and 2 visits and 7 days ahead, and returns the new warnings.
CREATE TEMPORARY TABLE last_seen AS SELECT 0::bigint AS event_id;
CREATE FUNCTION pg_temp.warns(p_ahead interval DEFAULT '7 days', p_limit integer DEFAULT 100) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_said text;
BEGIN
    PERFORM wallet.sweep(100);
    PERFORM pg_temp.committed();
    PERFORM wallet.warn(5, 2, p_ahead, p_limit);
    SELECT string_agg(concat_ws(
        ' ', u.user_id, o.type, o.details ->> 'unit', o.details ->> 'balance', o.details ->> 'amount',
        nullif(o.environment::text, 'production')
    ), ', ' ORDER BY u.user_id, o.event_id) INTO v_said
    FROM wallet.outbox AS o
    LEFT JOIN wallet.users AS u ON o.account_id = u.account_id
    WHERE o.type IN ('credits.low', 'credits.expiring') AND o.event_id > (SELECT s.event_id FROM last_seen AS s);
    UPDATE last_seen SET event_id = (SELECT max(o.event_id) FROM wallet.outbox AS o);
    RETURN v_said;
END;
$$;
SELECT pg_temp.gift('old', 3), pg_temp.gift('old', 4, 'visit', '5 days');
SELECT is(
    pg_temp.warns(), 'old credits.expiring visit 4',
    'the first call warns of expiries, but not of balances that have been low'
);
UPDATE wallet.warning_cursor SET xid = '4', event_id = 0;
SELECT is(pg_temp.warns(), NULL, 'the same lot is not reported again');

-- Low balances
SELECT pg_temp.lesson('c', 3, 1), pg_temp.lesson('d', 3, 1);
SELECT pg_temp.gift('ann', 7), pg_temp.gift('ann', 3, 'visit');
SELECT is(pg_temp.warns(), NULL, 'a sufficient balance');
SELECT pg_temp.book('ann', 'c', 'c', 1, 'credits');
SELECT is(pg_temp.warns(), 'ann credits.low credit 4', 'the balance falls below the threshold');
SELECT is(
    (SELECT pg_temp.newest()),
    '{"type": "credits.low", "timestamp": "2030-01-01T12:00:00Z", "data": {"user_id": "ann", "environment":
    "production", "version": 3, "unit": "credit", "balance": 4, "threshold": 5}}'::jsonb, 'the event'
);
SELECT pg_temp.book('ann', 'd', 'd', 1, 'credits');
SELECT is(pg_temp.warns(), NULL, 'a low balance that falls further is not reported again');
SELECT pg_temp.cancel('ann', 'd'), pg_temp.cancel('ann', 'c');
SELECT is(pg_temp.warns(), NULL, 'the balance is sufficient again');
SELECT pg_temp.book('ann', 'c2', 'c', 1, 'credits');
SELECT is(pg_temp.warns(), 'ann credits.low credit 4', 'it falls a second time');
SELECT pg_temp.cancel('ann', 'c2'), pg_temp.book('ann', 'c3', 'c', 1, 'credits');
SELECT is(pg_temp.warns(), 'ann credits.low credit 4', 'it was sufficient between two calls');
SELECT pg_temp.gift('bob', 7), pg_temp.book('bob', 'b', 'c', 1, 'credits'), pg_temp.cancel('bob', 'b');
SELECT is(pg_temp.warns(), NULL, 'a balance that was low only between two calls is not reported');
SELECT pg_temp.gift('cat', 4);
SELECT is(pg_temp.warns(), NULL, 'a balance that was never sufficient is not reported');
SELECT pg_temp.book('ann', 'v', 'd', 1, 'visits');
SELECT is(pg_temp.warns(), NULL, 'the threshold itself is sufficient');
SELECT pg_temp.lesson('e', 3, 1);
SELECT pg_temp.book('ann', 'w', 'e', 1, 'visits');
SELECT is(pg_temp.warns(), 'ann credits.low visit 1', 'visits have their own threshold');

-- Expiries
SELECT pg_temp.gift('dan', 9, 'credit', '8 days'), pg_temp.gift('dan', 1, 'visit', '10 days'), pg_temp.gift('dan', 20);
SELECT is(pg_temp.warns(), NULL, 'no lot expires soon');
SELECT pg_temp.wait('1 day');
SELECT is(pg_temp.warns(), 'dan credits.expiring credit 9', 'a lot that expires soon, without a change of the wallet');
SELECT is(
    (pg_temp.newest() -> 'data') - ARRAY['lot_id', 'user_id'],
    '{"environment": "production", "version": 3, "unit": "credit", "amount": 9, "source": "adjustment",
    "expires_at": "2030-01-09T12:00:00Z", "product_id": null}'::jsonb, 'the event'
);
SELECT pg_temp.wait('1 day');
SELECT is(pg_temp.warns(), NULL, 'once for each lot');
SELECT is(pg_temp.warns('8 days'), 'dan credits.expiring visit 1', 'a longer time ahead applies to all lots');
SELECT is(pg_temp.warns(), NULL, 'a shorter one repeats nothing');
SELECT pg_temp.gift('eve', 3, 'credit', '1 day');
SELECT is(pg_temp.warns(), 'eve credits.expiring credit 3', 'a lot that expires soon from the start');
SELECT pg_temp.gift('fay', 3, 'credit', '9 days'), pg_temp.book('fay', 'f', 'c', 1, 'credits');
SELECT pg_temp.wait('3 days');
SELECT is(pg_temp.warns(), NULL, 'a lot that is used up is not reported');
SELECT pg_temp.gift('fox', 9, 'credit', '1 day'), pg_temp.wait('2 days');
SELECT is(pg_temp.warns(), 'fox credits.low credit 0', 'a due expiry is posted first');
SELECT is(pg_temp.story('fox'), 'adjust 9, lapse -9', 'as every lock of a wallet does');

-- Environments, merges and deletions
SELECT pg_temp.gift('gus', 9, 'credit', '3 days', 'sandbox');
SELECT is(pg_temp.warns(), 'gus credits.expiring credit 9 sandbox', 'the sandbox has its own warnings');
SELECT wallet.account_for('anon', TRUE), wallet.account_for('hal');
SELECT pg_temp.gift('anon', 8), pg_temp.gift('anon', 5, 'visit', '2 days');
SELECT is(pg_temp.warns(), 'anon credits.expiring visit 5', 'an anonymous user');
SELECT wallet.merge_accounts('anon', 'hal');
SELECT is(pg_temp.warns(), NULL, 'a merge is no reason for a warning, and a moved lot is not reported again');
SELECT pg_temp.gift('ida', 8), pg_temp.gift('ida', 5, 'visit', '8 days');
SELECT pg_temp.warns();
SELECT wallet.delete_account('ida');
SELECT pg_temp.wait('2 days');
SELECT is(pg_temp.warns(), 'hal credits.low visit 0', 'a deleted user gets no warnings, and expired visits are low');

-- Limits
SELECT pg_temp.gift('u' || n, 1, 'credit', '1 day') FROM generate_series(1, 4) AS n;
SELECT pg_temp.committed();
SELECT is(wallet.warn(5, 2, '7 days', 3), 3, 'a call reads as many events as its limit');
SELECT is(wallet.warn(5, 2, '7 days', 3), 2, 'the next call reads the rest, with the warnings of the first');
SELECT is(wallet.warn(5, 2, '7 days', 3), 0, 'then nothing is left');
SELECT is(pg_temp.warns(), 'u1 credits.expiring credit 1, u2 credits.expiring credit 1, u3 credits.expiring credit 1, '
    'u4 credits.expiring credit 1', 'all are warned');
SELECT pg_temp.gift('joe', 9, 'credit', '1 day'), pg_temp.book('joe', 'j', 'e');
SELECT pg_temp.committed();
SELECT is(wallet.warn(NULL, NULL, NULL, 100) > 1, TRUE, 'without thresholds');
SELECT is_empty(
    $$ SELECT FROM wallet.outbox AS o WHERE o.account_id = wallet.account_for('joe') AND o.type LIKE 'credits.%ing' $$,
    'nobody is warned'
);
SELECT is(pg_temp.warns(), 'joe credits.expiring credit 9', 'a time ahead that is set later applies to all lots');

-- Only a change that can cause a warning is checked.
SELECT pg_temp.lesson('k', 1, 1), pg_temp.lesson('l', 1, 1);
SELECT pg_temp.gift('kim', 30), pg_temp.gift('kim', 5, 'visit', '30 days');
SELECT is(pg_temp.warns(), NULL, 'a wallet that needs no warning');
SELECT pg_temp.book('kim', 'k1', 'k', 1, 'credits'), pg_temp.book('kim', 'k2', 'l', 1, 'visits');
SELECT pg_temp.committed();
SELECT is(wallet.warn(5, 2, '7 days', 100), 2, 'two bookings that leave it sufficient');
SELECT results_eq(
    $$ SELECT n.due_at, n.checked_version FROM wallet.warnings AS n WHERE n.account_id = wallet.account_for('kim') $$,
    $$ SELECT wallet.now() + '23 days', 2::bigint $$, 'are not checked'
);
SELECT pg_temp.gift('max', 9), pg_temp.committed();
SELECT is(wallet.warn(0, 0, '7 days', 100), 1, 'thresholds of 0, which no balance is below');
SELECT pg_temp.book('max', 'm', 'k', 1, 'credits'), pg_temp.committed();
SELECT is(wallet.warn(0, 0, '7 days', 100), 1, 'a booking of a user without visits');
SELECT is(
    (SELECT n.checked_version FROM wallet.warnings AS n WHERE n.account_id = wallet.account_for('max')), 1::bigint,
    'needs no check'
);
-- A wallet that existed before the first call and has no expiry
DELETE FROM wallet.warnings AS n WHERE n.account_id = wallet.account_for('max');
SELECT pg_temp.lesson('m', 1, 1), pg_temp.lesson('n', 1, 1);
SELECT pg_temp.book('max', 'm2', 'm', 1, 'credits'), pg_temp.committed();
SELECT is(wallet.warn(0, 0, '7 days', 100), 1, 'nor does one of a wallet that has never been checked');
SELECT is_empty(
    $$ SELECT FROM wallet.warnings AS n WHERE n.account_id = wallet.account_for('max') $$, 'so it is not checked'
);
SELECT pg_temp.book('max', 'm3', 'n', 1, 'credits');
SELECT is(pg_temp.warns(), NULL, 'a wallet that has never been checked');
SELECT isnt_empty(
    $$ SELECT FROM wallet.warnings AS n WHERE n.account_id = wallet.account_for('max') $$, 'is, if there is a threshold'
);
SELECT pg_temp.gift('kim', 2, 'visit', '8 days');
SELECT is(pg_temp.warns(), NULL, 'a lot that expires earlier than the others');
SELECT pg_temp.gift('leo', 9, 'credit', '9 days'), pg_temp.book('leo', 'l1', 'l', 9, 'credits');
SELECT is(pg_temp.warns(), 'leo credits.low credit 0', 'a lot that was used up before the first check');
SELECT pg_temp.cancel('leo', 'l1');
SELECT is(pg_temp.warns(), NULL, 'and that a cancellation opens again');
SELECT pg_temp.wait('3 days');
SELECT is(
    pg_temp.warns(), 'gus credits.low credit 0 sandbox, kim credits.expiring visit 2, leo credits.expiring credit 9',
    'both lots are reported in time'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
