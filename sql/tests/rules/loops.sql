-- Loops that must create no credits: doing and undoing something ten times has the same result as doing it once.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.minted(p_user text) RETURNS bigint LANGUAGE sql AS $$
    SELECT coalesce(sum(e.amount), 0)::bigint FROM wallet.entries AS e
    WHERE e.account_id = wallet.account_for(p_user) AND e.kind IN ('grant', 'rollover');
$$;

-- Upgrade and downgrade: every paid period grants once, and periods that were cut short keep nothing
CREATE FUNCTION pg_temp.to_and_fro(p_user text, p_one text, p_other text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_temp.day(n), pg_temp.report(p_user, p_user || n, CASE n % 2 WHEN 0 THEN p_one ELSE p_other END,
        pg_temp.days(n, n + 30, jsonb_build_object('original_transaction_id', p_user)))
    FROM generate_series(0, 20) AS n;
$$;
SELECT pg_temp.to_and_fro('ann', 'plan.enthusiast', 'plan.explorer');
SELECT is(pg_temp.funds('ann'), '0 10 0 0', 'up and down ten times: only the last period''s visits are there');
SELECT is(pg_temp.minted('ann'), 150::bigint, 'each paid period granted once, and none rolled over');
SELECT pg_temp.report(NULL, 'ann' || n, CASE n % 2 WHEN 0 THEN 'plan.enthusiast' ELSE 'plan.explorer' END,
    pg_temp.days(n, n + 30, '{"original_transaction_id": "ann"}')) FROM generate_series(20, 0, -1) AS n;
SELECT is(pg_temp.funds('ann'), '0 10 0 0', 'repeating all reports in reverse order changes nothing');
SELECT is(pg_temp.minted('ann'), 150::bigint, 'the repetition creates no credits');
SELECT set_config('t.now', pg_temp.noon(0)::text, TRUE);
SELECT pg_temp.to_and_fro('bob', 'plan.enthusiast', 'plan.unlimited');
SELECT is(pg_temp.funds('bob'), '0 10 0 0', 'a plan without visits creates no credits either');

-- Refund, then cancellation of the booking that the purchase had paid; and another booking
SELECT pg_temp.lesson('a', 20), pg_temp.buy('cid', 'c', 'starter');
CREATE FUNCTION pg_temp.refund_round(p_round integer) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.book('cid', 'k' || p_round, 'a'), pg_temp.wait('1 second');
    SELECT pg_temp.buy('cid', 'c', 'starter', '{"refunded_millionths": 1000000}');
    SELECT pg_temp.cancel('cid', 'k' || p_round), pg_temp.wait('1 second');
    SELECT pg_temp.funds('cid');
$$;
SELECT is(pg_temp.refund_round(0), '0 0 0 0', 'refunded and cancelled: nothing is left, nothing is owed');
SELECT is(
    (SELECT string_agg(DISTINCT r.funds, ', ') FROM (
        SELECT pg_temp.buy('cid', 'c', 'starter'), pg_temp.refund_round(n) AS funds FROM generate_series(1, 10) AS n
    ) AS r), '0 0 0 0', 'ten times'
);
SELECT pg_temp.buy('cid', 'c', 'starter');
SELECT is(pg_temp.funds('cid'), '25 0 0 0', 'after the reversal the purchase has its full balance');
SELECT is(pg_temp.minted('cid'), 25::bigint, 'granted once');

-- Refund and reversal, with some credits spent
SELECT pg_temp.buy('dan', 'd', 'explorer'), pg_temp.book('dan', 'd', 'a');
SELECT pg_temp.wait('1 second'), pg_temp.buy('dan', 'd', 'explorer', '{"refunded_millionths": 1000000}'),
    pg_temp.wait('1 second'), pg_temp.buy('dan', 'd', 'explorer')
FROM generate_series(1, 10);
SELECT is(pg_temp.funds('dan'), '30 0 0 0', 'refund and reversal ten times');
SELECT pg_temp.buy('dan', 'd2', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.wait('1 second'), pg_temp.buy('dan', 'd', 'explorer', '{"refunded_millionths": 1000000}');
SELECT pg_temp.buy('dan', 'd3', 'starter');
SELECT is(pg_temp.funds('dan'), '5 0 0 0', 'a new purchase pays the debt');
SELECT pg_temp.wait('1 second'), pg_temp.buy('dan', 'd', 'explorer'),
    pg_temp.wait('1 second'), pg_temp.buy('dan', 'd', 'explorer', '{"refunded_millionths": 1000000}')
FROM generate_series(1, 10);
SELECT is(
    pg_temp.funds('dan') IN ('5 0 0 0', '25 0 20 0'), TRUE, 'paid, returned and paid again, the sum stays: '
    || pg_temp.funds('dan')
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('dan', 'd', 'explorer');
SELECT is(pg_temp.funds('dan'), '55 0 0 0', 'after all reversals, both purchases less the booking');

-- Cancel and uncancel a subscription
SELECT pg_temp.report('eve', 'e', 'plan.enthusiast',
    pg_temp.days(20, 50, '{"original_transaction_id": "eve"}')), pg_temp.new_events();
SELECT pg_temp.wait('1 second'), pg_temp.report(NULL, 'e', 'plan.enthusiast', pg_temp.days(20, 50, jsonb_build_object(
    'original_transaction_id', 'eve', 'pending', TRUE, 'will_renew', n % 2 = 0,
    'occasion', CASE n % 2 WHEN 0 THEN 'uncancellation' ELSE 'cancellation' END
))) FROM generate_series(1, 20) AS n;
SELECT is(pg_temp.funds('eve'), '0 10 0 0', 'cancelled and taken back ten times');
SELECT is(
    pg_temp.new_events(), 'cancelled uncancelled' || repeat(' cancelled uncancelled', 9),
    'each change was sent as one event'
);

-- Book and cancel around the end of a period and of a pass
SELECT pg_temp.lesson('v', NULL, 1, 100, '60 days'), pg_temp.buy('fay', 'f', 'threeVisit');
SELECT pg_temp.book('fay', 'f1', 'v'), pg_temp.day(79.9), pg_temp.cancel('fay', 'f1');
SELECT pg_temp.book('fay', 'g' || n, 'v'), pg_temp.cancel('fay', 'g' || n) FROM generate_series(1, 10) AS n;
SELECT is(pg_temp.funds('fay'), '0 3 0 0', 'ten times before the end');
SELECT pg_temp.lesson('w', NULL, 1, 100, '2 days'), pg_temp.gift('fay', 2, 'visit', '1 hour');
SELECT is(pg_temp.funds('fay'), '0 5 0 0', 'the wallet also has a gift that is valid for an hour');
SELECT pg_temp.book('fay', 'h' || n, 'v') FROM generate_series(1, 1) AS n;
SELECT pg_temp.wait('1 hour'), pg_temp.cancel('fay', 'h1');
SELECT pg_temp.book('fay', 'i' || n, 'v'), pg_temp.cancel('fay', 'i' || n) FROM generate_series(1, 10) AS n;
SELECT cmp_ok(
    split_part(pg_temp.funds('fay'), ' ', 2)::integer, '<=', 3, 'ten times after a lot''s end: nothing revives'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.entries AS e WHERE e.account_id = wallet.account_for('fay')
        AND e.kind = 'reopen'), 0, 'no lot is reopened'
);

-- A period that is repeatedly extended and shortened
SELECT set_config('t.now', pg_temp.noon(100)::text, TRUE);
SELECT pg_temp.report('gil', 'g', 'plan.enthusiast', pg_temp.days(100, 130, '{"original_transaction_id": "gil"}'));
SELECT pg_temp.lesson('x', NULL, 3, 10, '90 days', 0), pg_temp.book('gil', 'x', 'x');
SELECT pg_temp.day(140);
SELECT pg_temp.wait('1 second'), pg_temp.report(NULL, 'g', 'plan.enthusiast',
    pg_temp.days(100, CASE n % 2 WHEN 1 THEN 150 ELSE 135 END, '{"original_transaction_id": "gil"}'))
FROM generate_series(1, 20) AS n;
SELECT is(pg_temp.plan_lots('gil'), '0/10 until 05-16', 'extended and cut ten times, it is over');
SELECT pg_temp.wait('1 second'), pg_temp.report(NULL, 'g', 'plan.enthusiast',
    pg_temp.days(100, 150, '{"original_transaction_id": "gil"}'));
SELECT is(
    split_part(pg_temp.plan_lots('gil'), ' ', 1) IN ('7/10', '10/10'), TRUE, 'the extended period has its balance again'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
