-- A period without a reported end grants nothing yet: it is claimed and waits (rules 5, 13, 29).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.endless(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'plan.enthusiast', '{"expires_at": null}' || p_more));
$$;
CREATE FUNCTION pg_temp.until(p_day numeric, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('expires_at', pg_temp.noon(p_day), 'source', 'notification') || p_more;
$$;
CREATE FUNCTION pg_temp.status(p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT s.status || ' until ' || to_char(s.period_end AT TIME ZONE 'UTC', 'MM-DD')
    FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for(p_user);
$$;

SELECT is(pg_temp.endless('ann', 'a1'), 'skipped period-end-unknown', 'a period without an end grants nothing');
SELECT is(
    pg_temp.plan_lots('ann') || pg_temp.status('ann') || pg_temp.funds('ann'), NULL,
    'no lot, no subscription and no wallet exist'
);
SELECT is(
    (pg_temp.claim('a1')).account_id, wallet.account_for('ann'), 'the submitter owns the claim'
);
SELECT is((pg_temp.claim('a1')).verdict, 'period-end-unknown', 'the claim''s verdict names the missing end');
SELECT is(pg_temp.endless('bob', 'a1'), 'skipped transaction-already-claimed', 'no other user can claim it');
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'a1', 'plan.enthusiast', pg_temp.until(30))), 'granted 10 visit',
    'a later report with the end grants it'
);
SELECT is(pg_temp.plan_lots('ann'), '10/10 until 01-31', 'the lot expires at the reported end');
SELECT is(pg_temp.status('ann'), 'active until 01-31', 'the subscription ends then, too');
SELECT is(pg_temp.endless('ann', 'a1'), 'granted 10 visit duplicate', 'a later report without the end changes nothing');
SELECT is(pg_temp.plan_lots('ann'), '10/10 until 01-31', 'the end is unchanged');

-- The store reports the end
SELECT pg_temp.endless('lea', 'l1');
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 'l1', 'plan.enthusiast', pg_temp.until(30))), 'skipped transaction-already-claimed',
    'another user who reports the end gets nothing'
);
SELECT is(pg_temp.plan_lots('lea'), '10/10 until 01-31', 'the owner gets the grant');
SELECT is((pg_temp.claim('l1')).verdict, 'granted', 'the claim is granted');

-- An end that has passed
SELECT pg_temp.endless('cid', 'c1', jsonb_build_object('purchased_at', pg_temp.noon(-60)));
SELECT pg_temp.buy(NULL, 'c1', 'plan.enthusiast', pg_temp.until(-30));
SELECT is(
    pg_temp.plan_lots('cid') || ', ' || pg_temp.funds('cid'), '0/10 until 12-02, 0 0 0 0', 'the visits lapse at once'
);
SELECT is(pg_temp.status('cid'), 'expired until 12-02', 'the subscription is expired');

-- A store's report that a period is over includes the end
SELECT is(
    pg_temp.endless('dan', 'd1', jsonb_build_object(
        'purchased_at', pg_temp.noon(-60), 'expired_at', pg_temp.noon(-30)
    )), 'granted 10 visit', 'a period that is over ended when it was over'
);
SELECT is(
    pg_temp.plan_lots('dan') || ', ' || pg_temp.funds('dan'), '0/10 until 12-02, 0 0 0 0', 'no visit is left'
);
SELECT is(pg_temp.status('dan'), 'expired until 12-02', 'the subscription is expired');
SELECT pg_temp.buy(
    NULL, 'd1', 'plan.enthusiast', pg_temp.until(10, jsonb_build_object('purchased_at', pg_temp.noon(-60)))
);
SELECT is(pg_temp.plan_lots('dan'), '10/10 until 01-11', 'a report of the end itself counts more');

-- On hold, in grace, revoked: none of these reports an end
SELECT is(pg_temp.endless('eve', 'e1', jsonb_build_object(
    'billing_issue', TRUE, 'will_renew', TRUE, 'grace_ends_at', pg_temp.noon(5)
)), 'skipped period-end-unknown', 'the end of a grace period is not the end of the period');
SELECT is(
    pg_temp.endless('eve', 'e2', '{"revoked": true}'), 'skipped period-end-unknown', 'a revocation reports no end'
);
SELECT is(pg_temp.funds('eve'), NULL, 'nothing is granted');

-- Refunds
SELECT is(
    pg_temp.endless('fay', 'f1', '{"refunded_millionths": 1000000}'), 'skipped period-end-unknown',
    'a refund of the period waits, too'
);
SELECT is(
    pg_temp.says(pg_temp.buy('fay', 'f1', 'plan.enthusiast', pg_temp.until(30, '{"refunded_millionths": null}'))),
    'skipped refunded', 'the refund counts when the end is known'
);
SELECT is(pg_temp.funds('fay'), '0 0 0 0', 'granted and taken away in one go');
SELECT pg_temp.wait('1 second');
SELECT is(
    pg_temp.endless('fay', 'f1', '{"refunded_millionths": 0}'), 'granted 10 visit duplicate', 'a reversal gives it back'
);
SELECT is(pg_temp.endless('fay', 'f2'), 'skipped period-end-unknown', 'a refund reported first grants nothing');

-- Other reasons before and after
SELECT is(pg_temp.endless('gil', 'g1', '{"store_product_id": "no.such"}'), 'skipped unknown-product', 'both unknown');
INSERT INTO admin.products (
    product_id, kind, name, unit, amount, bonus, price_minor, grace_days, tier, entitlements, period, unlimited,
    trial_amount, rollover_percentage, is_active, app_store_id
) VALUES ('no', 'plan', 'No', 'visit', 3, 0, 100, 7, 1, '{premium}', 'P1M', FALSE, 0, 0, TRUE, 'no.such');
SELECT is((pg_temp.claim('g1')).verdict, 'period-end-unknown', 'adding the product does not make the end known');
SELECT pg_temp.buy(NULL, 'g1', 'no.such', pg_temp.until(30, '{"kind": "subscription"}'));
SELECT is(pg_temp.plan_lots('gil'), '3/3 until 01-31', 'the known period grants');
SELECT is(
    pg_temp.endless('hal', 'h1', '{"store_product_id": "com.hobbyist.bookingapp.subscription.unlimited"}'),
    'skipped period-end-unknown', 'an unlimited plan waits, too'
);
SELECT is(pg_temp.status('hal'), NULL, 'the claim gives no access');

-- The owner is deleted
SELECT pg_temp.endless('ida', 'i1'), wallet.delete_account('ida');
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'i1', 'plan.enthusiast', pg_temp.until(30))), 'granted 10 visit',
    'a deleted user''s is granted when it is known'
);
SELECT isnt((pg_temp.claim('i1')).released_at, NULL, 'the grant is released for the user who proves it');
-- The owner is merged into another user
SELECT wallet.account_for('anon', TRUE), wallet.account_for('jon');
SELECT pg_temp.endless('anon', 'j1'), wallet.merge_accounts('anon', 'jon');
SELECT pg_temp.buy(NULL, 'j1', 'plan.enthusiast', pg_temp.until(30));
SELECT is(pg_temp.plan_lots('jon'), '10/10 until 01-31', 'a merged user''s period is granted to the remaining user');

-- One purchase recorded as two claims, one of which has the end
SELECT pg_temp.endless('kim', 'k1', '{"original_transaction_id": null, "order_id": "k"}');
SELECT pg_temp.buy(NULL, 'k2', 'plan.enthusiast', pg_temp.until(30, '{"original_transaction_id": null}'));
SELECT is(
    pg_temp.endless('kim', 'k2', '{"original_transaction_id": null, "order_id": "k"}'), 'granted 10 visit',
    'data of either claim is used'
);
SELECT is(pg_temp.plan_lots('kim'), '10/10 until 01-31', 'once');

-- The tables refuse plan lots without an expiry
SELECT is(pg_temp.raised($$ UPDATE wallet.lots SET expires_at = 'infinity' WHERE source = 'plan' $$), '23514',
    'the tables refuse a plan lot without an expiry');
SELECT is(pg_temp.raised($$ UPDATE wallet.claims SET expires_at = NULL WHERE transaction_id = 'a1' $$), '23514',
    'a granted period without an end is refused');
SELECT is(
    pg_temp.raised($$ UPDATE wallet.subscriptions SET period_end = 'infinity' $$), '23514',
    'a subscription without an end is refused'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
