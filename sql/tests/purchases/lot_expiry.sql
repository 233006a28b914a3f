-- wallet.lot_expiry: packs never expire, passes expire after their days, plans with their period (rule 5).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.expiry(p_product_id text, p_more jsonb) RETURNS timestamptz LANGUAGE sql AS $$
    SELECT wallet.lot_expiry(
        (pg_temp.fact('t', 'x', p_more) ->> 'purchased_at')::timestamptz,
        row(p.unit, NULL, p.valid_days, NULL)::wallet.bundle_item
    ) FROM wallet.products AS p
    WHERE p.product_id = p_product_id;
$$;
SELECT is(
    pg_temp.expiry('com.hobbyist.bookingapp.credits.power', '{"expires_at": "2030-02-01T00:00:00Z"}'), 'infinity',
    'App Review 3.1.1: a pack never expires, even if the fact has an expiry'
);
SELECT is(
    pg_temp.expiry('singleVisit', '{"purchased_at": "2030-01-31T10:00:00Z"}'), '2030-03-02 10:00:00+00'::timestamptz,
    'a pass 30 days after its purchase'
);
SET LOCAL timezone = 'America/New_York';
SELECT is(
    pg_temp.expiry('singleVisit', '{"purchased_at": "2030-03-01T10:00:00Z"}'), '2030-03-31 10:00:00+00'::timestamptz,
    'days have 24 hours in every session time zone'
);
SET LOCAL timezone = 'UTC';
UPDATE wallet.products SET valid_days = NULL WHERE product_id = 'singleVisit';
SELECT is(pg_temp.expiry('singleVisit', '{}'), 'infinity', 'a pass without days never');
SELECT pg_temp.buy('ann', 'p', 'tenVisit'), pg_temp.buy('eve', 'e', 'plan.explorer');
SELECT is(
    (SELECT l.expires_at FROM wallet.lots AS l WHERE l.source = 'plan'), wallet.now() + interval '30 days',
    'a plan''s visits with their period'
);
SELECT is(
    (SELECT l.expires_at FROM wallet.lots AS l WHERE l.source = 'pass'), wallet.now() + interval '180 days',
    'the lot keeps its original expiry'
);
UPDATE wallet.products SET valid_days = 1 WHERE kind = 'pass';
SELECT pg_temp.wait('179 days');
SELECT is(pg_temp.funds('ann'), '0 10 0 0', 'polar #11427: a later change shortens no sold pass');
SELECT pg_temp.wait('1 day');
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'NutriZen: the balance decreases without the sweeper when a lot expires');
SELECT * FROM finish();
ROLLBACK;
