-- wallet.sync_subscription: periods, flags and states (rules 27, 28).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.period(p_id text, p_from text, p_to text, p_more jsonb DEFAULT '{}',
    p_product text DEFAULT 'plan.explorer')
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy('ann', p_id, p_product, jsonb_build_object(
        'original_transaction_id', 'sub', 'purchased_at', p_from, 'expires_at', p_to
    ) || p_more));
$$;
CREATE FUNCTION pg_temp.state() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', s.status, s.tier, to_char(s.period_start, 'MM-DD'), to_char(s.period_end, 'MM-DD'),
        CASE WHEN s.will_renew THEN 'renews' END, CASE WHEN s.has_access THEN 'access' END
    ) FROM wallet.subscription_states AS s;
$$;
SELECT is(
    pg_temp.period('p1', '2030-01-01T10:00Z', '2030-01-31T10:00Z'), 'granted 4 visit', 'a period grants its visits'
);
SELECT is(pg_temp.state(), 'active 1 01-01 01-31 renews access', 'the newer period is the current one');
SELECT is(
    pg_temp.period('p1', '2030-01-01T10:00Z', '2030-01-31T10:00Z',
    '{"will_renew": false, "source_at": "2030-01-01T12:00Z"}'),
    'granted 4 visit duplicate', 'a flag'
);
SELECT is(pg_temp.state(), 'active 1 01-01 01-31 access', 'cancelled is active without renewal');
SELECT pg_temp.period('p1', '2030-01-01T10:00Z', '2030-01-31T10:00Z',
    '{"will_renew": true, "source_at": "2030-01-01T11:00Z"}');
SELECT is(pg_temp.state(), 'active 1 01-01 01-31 access', 'an older flag changes nothing');
SELECT pg_temp.period('p0', '2029-12-01T10:00Z', '2029-12-31T10:00Z',
    '{"will_renew": true, "source_at": "2030-01-02T00:00Z"}');
SELECT is(pg_temp.state(), 'active 1 01-01 01-31 access', 'a fact about an older period changes nothing');
SELECT is(pg_temp.funds('ann'), '0 4 0 0', 'the period''s visits have lapsed');
SELECT is(
    pg_temp.period('p2', '2030-01-31T10:00Z', '2030-02-28T10:00Z', '{"source_at": "2030-01-31T10:00Z"}',
    'plan.enthusiast'), 'granted 10 visit', 'a renewal as another plan'
);
SELECT is(pg_temp.state(), 'active 2 01-31 02-28 renews access', 'clears the flags that are not newer than itself');
SELECT is((SELECT count(*)::integer FROM wallet.subscriptions), 1, 'both periods are one subscription');
SELECT pg_temp.wait('40 days');
SELECT pg_temp.period('p2', '2030-01-31T10:00Z', '2030-02-28T10:00Z',
    '{"billing_issue": true, "grace_ends_at": "2030-03-10T00:00Z"}', 'plan.enthusiast');
SELECT pg_temp.wait('18 days - 2 hours - 1 microsecond');
SELECT is(pg_temp.state(), 'active 2 01-31 02-28 renews access', 'the subscription is active until its end');
SELECT pg_temp.wait('1 microsecond');
SELECT is(pg_temp.state(), 'grace 2 01-31 02-28 renews access', 'the subscription is in grace, with access');
SELECT is(pg_temp.funds('ann'), '0 0 0 0', 'the visits lapse with the period, and grace grants none');
SELECT pg_temp.wait('15 days');
SELECT is(
    pg_temp.state(), 'billing_retry 2 01-31 02-28 renews', 'the subscription is in billing retry, without access'
);
SELECT is(
    pg_temp.period('p3', '2030-03-20T00:00Z', '2030-04-20T00:00Z', '{"period_type": "trial"}', 'plan.unlimited'),
    'granted 0', 'a trial grants the trial amount'
);
SELECT is(pg_temp.state(), 'trial 3 03-20 04-20 renews access', 'the new period is a trial');
SELECT pg_temp.wait('1 second');
SELECT pg_temp.period('p3', '2030-03-20T00:00Z', '2030-04-20T00:00Z', '{"refunded_millionths": 1000000}',
    'plan.unlimited');
SELECT is(pg_temp.state(), 'refunded 3 03-20 04-20 renews', 'refunded, access ends');
SELECT pg_temp.wait('60 days');
SELECT pg_temp.buy('bob', 'b1', 'plan.explorer', '{"original_transaction_id": "bobs"}'), pg_temp.wait('31 days');
SELECT is(
    (SELECT s.status FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for('bob')), 'expired',
    'expired without a report'
);
SELECT results_eq(
    $$ SELECT e.entitlement, e.is_active, e.in_trial, e.will_renew FROM wallet.entitlements AS e
       WHERE e.account_id = wallet.account_for('bob') $$,
    $$ VALUES ('premium', FALSE, FALSE, FALSE) $$, 'the entitlement is listed without access'
);
SELECT throws_ok(
    $$ UPDATE admin.products SET product_id = 'x' WHERE product_id LIKE '%subscription.explorer' $$, 'WL422',
    wallet.admin_sentence('column-not-editable'),
    'a product that is subscribed to keeps its id'
);
SELECT pg_temp.buy('eve', 'e1', 'plan.explorer', '{"original_transaction_id": "eve", "billing_issue": true,
    "purchased_at": "2029-11-01T10:00:00Z", "expires_at": "2029-12-01T10:00:00.011Z"}');
SELECT pg_temp.buy('eve', 'e1', 'plan.explorer', '{"original_transaction_id": "eve", "expires_at": null,
    "purchased_at": "2029-11-01T10:00:00Z", "expired_at": "2029-12-01T10:00:00.010Z", "occasion": "expiration"}');
SELECT is(
    (SELECT s.status FROM wallet.subscription_states AS s WHERE s.original_transaction_id = 'eve'), 'expired',
    'an end that another source rounded to another millisecond is the same end'
);
SELECT throws_ok($$ UPDATE wallet.subscriptions SET ended = 'bored' $$, '23514', NULL, 'an unknown end is refused');
SELECT pg_temp.sound();

-- A deleted user's subscription continues with the user that the store names next
SELECT pg_temp.report('deb', 'd1', 'plan.explorer', pg_temp.days(0, 30, '{"original_transaction_id": "deb"}'));
SELECT wallet.delete_account('deb');
SELECT is(
    pg_temp.report('eva', 'd2', 'plan.explorer', pg_temp.days(30, 60, '{"original_transaction_id": "deb"}')),
    'granted 4 visit', 'a renewal for another user'
);
SELECT results_eq(
    $$ SELECT s.account_id FROM wallet.subscription_states AS s WHERE s.original_transaction_id = 'deb' $$,
    $$ VALUES (wallet.account_for('eva')) $$, 'the subscription belongs to that user and is not released'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
