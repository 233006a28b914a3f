-- wallet.compare_statement: reports the changes that a statement would make, without making them (the reconciler).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.compare(p_owner text, p_id text, p_product text, p_more jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql AS $$
    SELECT wallet.compare_statement(jsonb_build_object(
        'owners', to_jsonb(array_remove(ARRAY[p_owner], NULL)), 'fact', pg_temp.fact(p_id, p_product, p_more)
    ));
$$;
SELECT is(pg_temp.compare('ann', 't1', 'starter'), 'missing_grant', 'an unreported purchase');
SELECT is((SELECT count(*)::integer FROM wallet.accounts), 0, 'the comparison creates no account');
SELECT is((SELECT count(*)::integer FROM wallet.claims), 0, 'the comparison creates no claim');
SELECT is(pg_temp.compare(NULL, 't1', 'starter'), NULL, 'a purchase that would not be granted has no difference');
SELECT pg_temp.buy('ann', 't1', 'starter'), pg_temp.wait('1 second');
SELECT is(pg_temp.compare('ann', 't1', 'starter'), NULL, 'a granted purchase has no difference');
SELECT is(
    pg_temp.compare('ann', 't1', 'starter', '{"quantity": 2}'), 'missing_amount', 'a larger quantity is a difference'
);
SELECT is(
    pg_temp.compare('ann', 't1', 'starter', '{"refunded_millionths": 1}'), 'unseen_refund',
    'an unknown refund is a difference'
);
SELECT pg_temp.report('ann', 't1', 'starter', '{"refunded_millionths": 500000}'), pg_temp.wait('1 second');
SELECT is(
    pg_temp.compare('ann', 't1', 'starter', '{"refunded_millionths": 400000}'), 'unseen_reversal',
    'an unknown reversal is a difference'
);
SELECT is(
    pg_temp.compare('ann', 't1', 'starter', '{"refunded_millionths": 0, "source_at": "2030-01-01T12:00:00Z"}'), NULL,
    'an outdated report has no difference'
);
SELECT pg_temp.report('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30));
SELECT pg_temp.wait('1 second'), pg_temp.new_events();
SELECT is(pg_temp.compare('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30)), NULL, 'a period with unchanged data');
SELECT is(
    pg_temp.compare('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30, jsonb_build_object(
        'expires_at', pg_temp.noon(30) + INTERVAL '0.7 seconds'
    ))), NULL, 'sources may report whole or fractional seconds'
);
SELECT is(
    pg_temp.compare('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30, f.flag)), 'wrong_status', f.flag::text
) FROM (VALUES ('{"will_renew": false}'::jsonb), ('{"revoked": true}'), ('{"expires_at": "2030-03-01T00:00Z"}'))
    AS f (flag);
SELECT is(pg_temp.compare('ann', 'p2', 'plan.explorer', pg_temp.days(30, 60)), 'missing_grant', 'a missing renewal');
SELECT is(pg_temp.new_events(), NULL, 'the comparison sends no events');
SELECT is(pg_temp.funds('ann'), '13 4 0 0', 'the comparison changes no balance');
SELECT is(
    pg_temp.raised($$ SELECT wallet.compare_statement('{"fact": {}}') $$), 'WL422 purchase-data-incomplete',
    'an empty fact is refused as usual'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
