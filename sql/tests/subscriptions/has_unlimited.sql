-- wallet.has_unlimited: which classes a live unlimited plan covers (rule 7).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.covers(p_ahead interval) RETURNS boolean LANGUAGE sql AS $$
    SELECT wallet.has_unlimited(wallet.account_for('ann'), 'production', wallet.now() + p_ahead);
$$;
SELECT ok(NOT pg_temp.covers('1 day'), 'without a plan no class is covered');
SELECT pg_temp.buy('ann', 's1', 'plan.unlimited', '{"will_renew": true}');
SELECT ok(pg_temp.covers('1 day'), 'a class within the period is covered');
SELECT ok(pg_temp.covers('60 days'), 'a renewing plan also covers later classes');
SELECT ok(
    NOT wallet.has_unlimited(wallet.account_for('ann'), 'sandbox', wallet.now() + interval '1 day'),
    'a plan covers nothing in the other environment'
);
SELECT ok(
    NOT wallet.has_unlimited(wallet.account_for('bob'), 'production', wallet.now() + interval '1 day'),
    'a plan covers nothing for another user'
);
SELECT pg_temp.wait('1 second'), pg_temp.buy('ann', 's1', 'plan.unlimited', '{"will_renew": false,
    "purchased_at": "2030-01-01T12:00:00Z", "expires_at": "2030-01-31T12:00:00Z"}');
SELECT ok(NOT pg_temp.covers('60 days'), 'cancelled, not beyond it');
SELECT ok(pg_temp.covers('30 days - 1 second - 1 microsecond'), 'the last microsecond of the period is covered');
SELECT ok(NOT pg_temp.covers('30 days - 1 second'), 'the end of the period is not covered');
SELECT pg_temp.wait('30 days - 1 second');
SELECT ok(NOT pg_temp.covers('-20 days'), 'after its end, nothing');
SELECT pg_temp.buy('bob', 's2', 'plan.unlimited', '{"refunded_millionths": 0}'), pg_temp.wait('1 second');
SELECT pg_temp.buy('bob', 's2', 'plan.unlimited', '{"refunded_millionths": 1000000}');
SELECT ok(
    NOT wallet.has_unlimited(wallet.account_for('bob'), 'production', wallet.now() + interval '1 day'),
    'a refunded plan covers nothing'
);
SELECT pg_temp.buy('cid', 's3', 'plan.explorer');
SELECT ok(
    NOT wallet.has_unlimited(wallet.account_for('cid'), 'production', wallet.now() + interval '1 day'),
    'another plan covers nothing'
);
SELECT * FROM finish();
ROLLBACK;
