-- wallet.grant_claim: copies the product's terms at the time of the grant (rules 14, 15, 29).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.terms(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.product_id, c.grant_amount, CASE WHEN c.grants_reported_amount THEN 'reported' END,
        c.rollover_percentage || '%', 'to ' || c.rollover_cap, c.subscription_group)
    FROM pg_temp.claim(p_id) AS c;
$$;
UPDATE wallet.products SET bonus = 5, trial_amount = 2 WHERE product_id LIKE '%enthusiast';
SELECT is(pg_temp.says(pg_temp.buy('ann', 'k', 'enthusiast')), 'granted 105 credit', 'a pack grants amount and bonus');
SELECT is(
    pg_temp.terms('k'), 'com.hobbyist.bookingapp.credits.enthusiast 105 0%', 'the claim stores the granted terms'
);
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 'p1', 'plan.enthusiast', pg_temp.days(0, 30))), 'granted 15 visit',
    'a period grants its plan''s amount'
);
SELECT is(
    pg_temp.terms('p1'), 'com.hobbyist.bookingapp.subscription.enthusiast 15 50% to 10 hobbyist',
    'the claim stores the rollover terms and the group'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 't', 'plan.enthusiast',
        pg_temp.days(0, 7, '{"period_type": "trial", "original_transaction_id": "bob"}'))), 'granted 2 visit',
    'a trial grants the trial amount, without the bonus'
);
SELECT is((pg_temp.claim('t')).price_minor, 0::bigint, 'a trial has no price');
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 'i', 'plan.enthusiast',
        pg_temp.days(7, 37, '{"period_type": "intro", "original_transaction_id": "bob"}'))), 'granted 15 visit',
    'a paid introductory period grants all'
);
SELECT is(
    pg_temp.says(pg_temp.buy('cid', 'u', 'plan.unlimited', '{"original_transaction_id": "cid"}')), 'granted 0',
    'an unlimited plan grants no visits'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('cid')), 0,
    'a plan without visits opens no lot'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.outbox AS o
    WHERE o.account_id = wallet.account_for('cid') AND o.type = 'credits.granted'), 0,
    'a grant without credits sends no credit event'
);
SELECT is((pg_temp.claim('u')).granted_at, wallet.now(), 'yet it is granted');

-- The latest start of a pass is counted in days from the purchase, its end from the start
INSERT INTO wallet.products (
    product_id, kind, name, unit, amount, price_minor, app_store_id, valid_days, starts_within_days
) VALUES ('waits', 'pass', 'Waits', 'visit', 4, 400, 'waits', 10, 30);
SELECT pg_temp.buy('dee', 'w', 'waits');
SELECT results_eq(
    $$ SELECT l.starts_at, l.expires_at FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('dee') $$,
    $$ VALUES (timestamptz '2030-01-31 12:00:00+00', timestamptz '2030-02-10 12:00:00+00') $$,
    'a pass that starts within 30 days and is valid for 10 days'
);

-- A later edit of the product changes no sold purchase
UPDATE wallet.products SET amount = 1, bonus = 0, rollover_percentage = 0, subscription_group = 'x'
WHERE product_id LIKE '%enthusiast';
SELECT pg_temp.buy('ann', 'k', 'enthusiast', '{"quantity": 2}'), pg_temp.report(NULL, 'p1', 'plan.enthusiast',
    pg_temp.days(0, 30));
SELECT is(pg_temp.terms('k'), 'com.hobbyist.bookingapp.credits.enthusiast 105 0%', 'an edited pack');
SELECT is(pg_temp.funds('ann'), '210 15 0 0', 'each piece grants the original amount');
SELECT is(
    pg_temp.terms('p1'), 'com.hobbyist.bookingapp.subscription.enthusiast 15 50% to 10 hobbyist', 'an edited plan'
);

-- Virtual currency: one source per product grants, never both
UPDATE wallet.products SET grant_source = 'virtual_currency' WHERE product_id LIKE '%credits.starter';
SELECT is(
    pg_temp.says(pg_temp.buy('dan', 'v1', 'starter', '{"quantity": 3}')),
    'skipped granted-by-virtual-currency', 'the purchase grants nothing'
);
SELECT is(
    pg_temp.says(pg_temp.buy('zed', 'z1', 'starter', '{"reported_amount": 0}')), 'skipped granted-by-virtual-currency',
    'a report of 0 credits grants nothing'
);
SELECT is(
    pg_temp.says(pg_temp.buy('zed', 'z1', 'starter', '{"reported_amount": 5}')),
    'granted 5 credit',
    'the reported credits are granted'
);
SELECT is(
    pg_temp.report('dan', 'v1', 'starter', '{"pending": true, "reported_amount": 40}'), 'granted 40 credit',
    'the reported amount is granted, regardless of the quantity'
);
SELECT is(
    pg_temp.report('dan', 'v1', 'starter', '{"pending": true, "reported_amount": 40}'),
    'granted 40 credit duplicate',
    'once'
);
SELECT is(
    pg_temp.says(pg_temp.buy('dan', 'v1', 'starter')), 'granted 40 credit duplicate',
    'the purchase adds nothing to the reported amount'
);
SELECT is(pg_temp.funds('dan'), '40 0 0 0', 'the wallet has the reported amount');
SELECT pg_temp.wait('1 second');
SELECT is(
    pg_temp.report('dan', 'v1', 'starter', '{"pending": true, "refunded_millionths": 500000}'),
    'granted 40 credit duplicate', 'a refund of the purchase'
);
SELECT is(pg_temp.funds('dan'), '20 0 0 0', 'a refund takes its share of the reported amount');
SELECT is(
    pg_temp.report('eve', 'v2', 'explorer', '{"pending": true, "reported_amount": 40}'), 'skipped pending',
    'a reported amount grants nothing for a product that its purchase grants'
);
SELECT is(
    pg_temp.says(pg_temp.buy('eve', 'v2', 'explorer', '{"quantity": 2}')), 'granted 100 credit',
    'a reported amount does not change the purchase''s grant'
);
UPDATE wallet.products SET grant_source = 'virtual_currency', period = 'P1Y', amount = 120
WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.report(
    'fin', 'v3', 'plan.enthusiast', '{"reported_amount": 40, "billing_period": 1, "billing_periods": 12}'
);
SELECT is(pg_temp.funds('fin'), '0 40 0 0', 'the reported amount of one billing period is not divided again');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
