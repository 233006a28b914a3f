-- A fact may name a plan without a period: a reversed refund without an end looks like that of a pack.
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.once(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(
        p_user, p_id, 'plan.enthusiast', '{"expires_at": null, "kind": "one_time", "period_type": null}' || p_more
    ));
$$;

SELECT is(pg_temp.once('ann', 'a1'), 'skipped unknown-product', 'a one-time purchase of a plan grants nothing');
SELECT is(pg_temp.plan_lots('ann') || pg_temp.funds('ann'), NULL, 'no lot and no wallet exist');
SELECT is((pg_temp.claim('a1')).account_id, wallet.account_for('ann'), 'the submitter owns the claim');
SELECT is(
    pg_temp.once('ann', 'a1', jsonb_build_object('expires_at', pg_temp.noon(30), 'kind', 'subscription')),
    'granted 10 visit', 'a later report that it is a period grants it'
);
SELECT is(pg_temp.plan_lots('ann'), '10/10 until 01-31', 'the lot expires at the period''s end');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
