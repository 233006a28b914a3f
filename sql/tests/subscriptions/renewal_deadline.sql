-- wallet.renewal_deadline: allows an hour for the report of a renewal, unless a report says that none follows (rule 7).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.waits(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce((
        wallet.renewal_deadline(wallet.account_for(p_user), 'production') - pg_temp.noon(30)
    )::text, 'no');
$$;
CREATE FUNCTION pg_temp.period(p_user text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_user, 'plan.unlimited', pg_temp.days(0, 30, jsonb_build_object(
        'original_transaction_id', p_user
    ) || p_more)));
$$;
SELECT pg_temp.period('ann'), pg_temp.period('bob'), pg_temp.period('cid', '{"will_renew": false}');
SELECT pg_temp.period('dan', '{"billing_issue": true}');
SELECT pg_temp.buy('eve', 'eve', 'plan.explorer', pg_temp.days(0, 30));
SELECT pg_temp.day(29.9);
SELECT is(pg_temp.waits('ann'), 'no', 'a live plan has no deadline');
SELECT pg_temp.day(30.01);
SELECT is(pg_temp.waits('ann'), '01:00:00', 'an hour from the end of access');
SELECT is(pg_temp.waits('dan'), '01:00:00', 'a plan in billing retry has a deadline');
SELECT is(pg_temp.waits('cid'), 'no', 'a plan that does not renew has no deadline');
SELECT is(pg_temp.waits('eve'), 'no', 'a plan that is not unlimited has no deadline');
SELECT is(pg_temp.waits('new'), 'no', 'a user without a plan has no deadline');
SELECT pg_temp.report('bob', 'bob', 'plan.unlimited', pg_temp.days(0, 30, jsonb_build_object(
    'original_transaction_id', 'bob', 'expired', TRUE
)));
SELECT pg_temp.report('bob', 'bob', 'plan.unlimited', pg_temp.days(0, 30, jsonb_build_object(
    'original_transaction_id', 'bob', 'will_renew', FALSE
)));
SELECT is(pg_temp.waits('bob'), 'no', 'no deadline after the store has reported the end');
SELECT pg_temp.day(30.05);
SELECT is(pg_temp.waits('ann'), 'no', 'the deadline has passed');
SELECT * FROM finish();
ROLLBACK;
