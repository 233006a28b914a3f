-- wallet.announce_subscription: sends the events of each change exactly once (rules 28, 34).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.day(0);
CREATE FUNCTION pg_temp.events_after(p_id text, p_more jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.wait('1 second');
    SELECT pg_temp.report('ann', p_id, 'plan.explorer', jsonb_build_object('pending', p_id <> 'p9') || p_more);
    SELECT pg_temp.new_events();
$$;
CREATE FUNCTION pg_temp.on_day(p_day numeric) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.day(p_day);
    SELECT pg_temp.new_events();
$$;
SELECT is(pg_temp.events_after('p1', pg_temp.days(0, 30, '{"pending": false}')), 'started', 'a first period');
SELECT is(pg_temp.events_after('p1', pg_temp.days(0, 30, '{"pending": false}')), NULL, 'sent again');
SELECT is(pg_temp.events_after('p1', pg_temp.days(0, 30, '{"will_renew": true}')), NULL, 'renewing sends no event');
SELECT is(pg_temp.events_after('p1', pg_temp.days(0, 30, '{"will_renew": false}')), 'cancelled', 'cancelled');
SELECT is(pg_temp.events_after('p1', pg_temp.days(0, 30, '{"will_renew": false}')), NULL, 'cancelled again');
SELECT is(pg_temp.events_after('p1', pg_temp.days(0, 30, '{"will_renew": true}')), 'uncancelled', 'taken back');
SELECT is(pg_temp.events_after('p1', pg_temp.days(0, 30, '{"will_renew": true}')), NULL, 'taken back again');
SELECT is(
    pg_temp.events_after('p1', pg_temp.days(0, 30, jsonb_build_object(
        'billing_issue', TRUE, 'grace_ends_at', pg_temp.noon(33)
    ))), NULL, 'a billing issue before the end changes no state'
);
SELECT is(pg_temp.on_day(29), NULL, 'time before the end causes no event');
SELECT is(pg_temp.on_day(30), 'grace_started', 'the grace begins by the clock');
SELECT is(pg_temp.on_day(31), NULL, 'once');
SELECT is(pg_temp.on_day(33), 'billing_failed', 'after the grace period the payment is still missing');
SELECT is(pg_temp.on_day(34), NULL, 'once');
SELECT is(
    pg_temp.events_after('p1', pg_temp.days(0, 30, jsonb_build_object('expired_at', pg_temp.noon(30)))), 'expired',
    'the store gives up'
);
SELECT is(
    pg_temp.events_after('p1', pg_temp.days(0, 30, jsonb_build_object('expired_at', pg_temp.noon(30)))), NULL, 'once'
);
SELECT is(pg_temp.events_after('p2', pg_temp.days(35, 65, '{"pending": false}')), 'renewed', 'the subscription renews');
SELECT is(
    pg_temp.events_after('p0', pg_temp.days(-30, 0, '{"pending": false}')), NULL, 'an older period sends no event'
);
SELECT is(
    pg_temp.events_after('p2', pg_temp.days(35, 65, '{"refunded_millionths": 1000000}')), 'refunded', 'refunded'
);
SELECT is(
    pg_temp.events_after('p2', pg_temp.days(35, 65, '{"refunded_millionths": 1000000}')), NULL, 'once'
);
SELECT is(
    pg_temp.events_after('p2', pg_temp.days(35, 65, '{"refunded_millionths": 0}')), 'resumed', 'the refund is reversed'
);
SELECT is(pg_temp.events_after('p2', pg_temp.days(35, 65, '{"refunded_millionths": 0}')), NULL, 'once');
SELECT is(pg_temp.events_after('p3', pg_temp.days(36, 66, '{"pending": false}')), 'renewed', 'bought again');
SELECT is(pg_temp.events_after('p3', pg_temp.days(36, 66, '{"revoked": true}')), 'revoked', 'revoked');
SELECT is(pg_temp.events_after('p3', pg_temp.days(36, 66, '{"revoked": true}')), NULL, 'once');
SELECT is(
    pg_temp.events_after('p4', pg_temp.days(37, 67, '{"pending": false}')), 'renewed',
    'a new purchase renews the subscription'
);
SELECT is(
    pg_temp.events_after('p4', pg_temp.days(37, 67, '{"paused": true}')), NULL, 'a pause begins with the next period'
);
SELECT is(pg_temp.on_day(67), 'paused', 'then');
SELECT is(pg_temp.on_day(68), NULL, 'once');
SELECT is(
    pg_temp.events_after('p5', pg_temp.days(68, 98, '{"pending": false, "will_renew": false}')), 'renewed cancelled',
    'one fact may send two events'
);
SELECT is(pg_temp.on_day(98), 'expired', 'a cancelled one ends by the clock');
SELECT is(pg_temp.on_day(99), NULL, 'once');
SELECT is(
    (SELECT o.details || '{"product_id": "", "store": ""}' FROM wallet.outbox AS o
    WHERE o.type = 'subscription.grace_started'),
    jsonb_build_object('store', '', 'product_id', '', 'status', 'grace', 'tier', 1, 'period_start',
        wallet.rfc3339(pg_temp.noon(0)), 'period_end', wallet.rfc3339(pg_temp.noon(30)), 'grace_period_ends_at',
        wallet.rfc3339(pg_temp.noon(33)), 'will_renew', TRUE), 'an event contains the state of the subscription'
);
SELECT is(
    (SELECT DISTINCT o.account_id FROM wallet.outbox AS o WHERE o.type LIKE 'subscription.%'),
    wallet.account_for('ann'), 'the event belongs to the owner'
);

SELECT is(
    pg_temp.events_after('p5', pg_temp.days(68, 108, '{"pending": false, "will_renew": false}')), 'resumed',
    'the store extends the period'
);
SELECT is(pg_temp.on_day(108), 'expired', 'until its new end');

-- A period that had begun and ended before its first report
SELECT pg_temp.report('bob', 'b2', 'plan.explorer', pg_temp.days(30, 60, '{"original_transaction_id": "bob"}'));
SELECT is(pg_temp.new_events(), 'started expired', 'a first report of a past period');
SELECT pg_temp.report('bob', 'b1', 'plan.explorer', pg_temp.days(0, 30, '{"original_transaction_id": "bob"}'));
SELECT is(pg_temp.new_events(), NULL, 'RENEWAL before INITIAL: it began once');
SELECT pg_temp.report('bob', 'b3', 'plan.explorer', pg_temp.days(60, 90, '{"original_transaction_id": "bob"}'));
SELECT is(pg_temp.new_events(), 'renewed expired', 'a renewal that is over, too, ends again');

-- A released subscription sends no event
SELECT pg_temp.report('cid', 'c1', 'plan.explorer', pg_temp.days(99, 129, '{"original_transaction_id": "cid"}'));
SELECT is(pg_temp.new_events(), 'started', 'a subscription with an owner');
UPDATE wallet.subscriptions SET released_at = wallet.now() WHERE original_transaction_id = 'cid';
SELECT pg_temp.report(NULL, 'c1', 'plan.explorer',
    pg_temp.days(99, 129, '{"original_transaction_id": "cid", "will_renew": false}'));
SELECT is(pg_temp.new_events(), NULL, 'a released subscription sends no event');
SELECT is(
    (SELECT s.next_change_at FROM wallet.subscriptions AS s WHERE s.original_transaction_id = 'cid'), 'infinity',
    'the released subscription is not checked again'
);
SELECT pg_temp.sound('subscriptions');
SELECT * FROM finish();
ROLLBACK;
