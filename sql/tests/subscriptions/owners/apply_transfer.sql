-- wallet.apply_transfer: moves subscriptions but no credits or accounts (rule 31).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.transfer(p_from text[], p_to text[], p_day numeric, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT wallet.apply_transfer(jsonb_build_object(
        'from', to_jsonb(p_from), 'to', to_jsonb(p_to), 'at', pg_temp.noon(p_day)
    ) || p_more);
$$;
CREATE FUNCTION pg_temp.subscribers() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(s.original_transaction_id || ' ' || u.user_id, ', ' ORDER BY s.original_transaction_id)
    FROM wallet.subscription_states AS s INNER JOIN wallet.users AS u ON s.account_id = u.account_id;
$$;
SELECT pg_temp.buy('ann', 'p1', 'plan.enthusiast', pg_temp.days(0, 30));
SELECT pg_temp.buy('ann', 'k', 'starter');
SELECT pg_temp.buy('ann', 's1', 'plan.explorer',
    pg_temp.days(0, 30, '{"environment": "sandbox", "original_transaction_id": "sand"}'));
SELECT pg_temp.day(5);
SELECT is(
    pg_temp.transfer('{ann}', '{bob}', 5, '{"environment": "production"}'), NULL, 'a transfer of one environment'
);
SELECT is(pg_temp.subscribers(), 'chain bob, sand ann', 'the subscription moves');
SELECT results_eq(
    $$ SELECT u.user_id, o.environment::text FROM wallet.outbox AS o
       INNER JOIN wallet.users AS u ON o.account_id = u.account_id WHERE o.type = 'subscription.transferred' $$,
    $$ VALUES ('bob', 'production') $$, 'an event reports it to the new owner'
);
SELECT is(pg_temp.funds('ann'), '25 10 0 0', 'credits and visits stay');
SELECT is(pg_temp.funds('bob'), NULL, 'where they are');
SELECT is((SELECT count(*)::integer FROM wallet.accounts), 2, 'no account is merged');
SELECT is(
    pg_temp.report(NULL, 'p2', 'plan.enthusiast', pg_temp.days(30, 60)), 'granted 10 visit',
    'a renewal without a named owner'
);
SELECT is(pg_temp.funds('bob'), '0 10 0 0', 'the new subscriber gets the renewal');
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 'p3', 'plan.enthusiast', pg_temp.days(60, 90))),
    'skipped transaction-already-claimed', 'the former subscriber cannot claim the renewal'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 'p3', 'plan.enthusiast', pg_temp.days(60, 90))), 'granted 10 visit',
    'the new subscriber gets the next renewal'
);
SELECT is(pg_temp.transfer('{ann}', '{bob}', 5, '{"environment": "production"}'), NULL, 'reported twice');
SELECT is((SELECT count(*)::integer FROM wallet.subscription_transfers), 1, 'a repeated transfer is stored once');
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox AS o WHERE o.type = 'subscription.transferred'), 1, 'and reported once'
);
SELECT is(pg_temp.transfer('{ann}', '{bob}', 6), NULL, 'a transfer without an environment');
SELECT is(pg_temp.subscribers(), 'chain bob, sand bob', 'it applies to both environments');

-- The users of a transfer
SELECT is(pg_temp.transfer('{bob}', '{$RCAnonymousID:1}', 6), 'unknown-user', 'a transfer to an unknown user waits');
SELECT is(pg_temp.subscribers(), 'chain bob, sand bob', 'no subscription moves');
SELECT is(pg_temp.transfer('{$RCAnonymousID:2}', '{bob}', 6), NULL, 'a transfer from an unknown user does not wait');
SELECT is(pg_temp.transfer('{bob}', '{bob}', 6), NULL, 'a transfer to the same user does nothing');
SELECT is((SELECT count(*)::integer FROM wallet.subscription_transfers), 3, 'neither transfer is stored');

-- A transfer reported before the purchase, and late transfers
SELECT is(pg_temp.transfer('{cid}', '{dan}', 5), NULL, 'a transfer of an unreported purchase');
SELECT is(
    pg_temp.report('cid', 'c1', 'plan.explorer', pg_temp.days(0, 30, '{"original_transaction_id": "cid"}')),
    'granted 4 visit', 'the transferred purchase is reported'
);
SELECT is(pg_temp.subscribers(), 'chain bob, cid dan, sand bob', 'the receiver has the subscription');
SELECT is(pg_temp.funds('cid'), '0 4 0 0', 'the first buyer keeps the visits');
SELECT is(pg_temp.transfer('{eve}', '{fay}', 4), NULL, 'a later transfer is reported first');
SELECT pg_temp.report('dan', 'd1', 'plan.explorer', pg_temp.days(0, 30, '{"original_transaction_id": "dan"}'));
SELECT is(pg_temp.transfer('{dan}', '{eve}', 3), NULL, 'an earlier transfer is reported later');
SELECT is(
    pg_temp.subscribers(), 'chain bob, cid dan, dan fay, sand bob',
    'transfers are applied in the order of their instants'
);
SELECT is(pg_temp.transfer('{dan}', '{gil}', 2), NULL, 'a transfer from before both, reported last');
SELECT is(pg_temp.subscribers(), 'chain bob, cid dan, dan gil, sand bob', 'sends it another way');

-- A message from the far future counts as today's
SELECT pg_temp.transfer('{kim}', '{lea}', 900000), pg_temp.wait('1 day');
SELECT pg_temp.report('kim', 'k1', 'plan.explorer', pg_temp.days(6, 36, '{"original_transaction_id": "kim"}'));
SELECT is(
    pg_temp.subscribers(), 'chain bob, cid dan, dan gil, kim kim, sand bob', 'a later purchase stays with its buyer'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
