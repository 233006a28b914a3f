-- wallet.flag_refund_abuse, called by wallet.sync_claim: raises a review flag at the third refund in 180 days, once
-- (rule 26).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.day(0);
CREATE FUNCTION pg_temp.refund(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.wait('1 second');
    PERFORM pg_temp.buy(p_user, p_id, 'starter', '{"refunded_millionths": 1000000}' || p_more);
    RETURN (
        SELECT string_agg(concat_ws(' ', coalesce(f.app_transaction_id, 'account'), f.refunds, f.resolution), ', '
            ORDER BY f.flag_id)
        FROM wallet.review_flags AS f WHERE f.account_id = wallet.account_for(p_user)
    );
END;
$$;
CREATE FUNCTION pg_temp.dismiss() RETURNS void LANGUAGE sql AS $$
    UPDATE wallet.review_flags SET resolution = 'dismissed', resolved_at = wallet.now() WHERE resolved_at IS NULL;
$$;
SELECT pg_temp.buy('ann', 'a0', 'starter');
SELECT is(pg_temp.refund('ann', 'a1'), NULL, 'one refund raises no flag');
SELECT is(pg_temp.refund('ann', 'a1'), NULL, 'a refund reported twice counts once');
SELECT is(pg_temp.refund('ann', 'a2', '{"refunded_millionths": 10000}'), NULL, 'a second, partial refund');
SELECT is(pg_temp.refund('ann', 's', '{"environment": "sandbox"}'), NULL, 'the sandbox does not count');
SELECT is(pg_temp.refund('ann', 'a3'), 'account 3', 'the third raises the flag');
SELECT is(pg_temp.refund('ann', 'a3'), 'account 3', 'once');
SELECT is(pg_temp.refund('ann', 'a4'), 'account 3', 'a fourth refund raises no second flag while the first is open');
SELECT results_eq(
    $$ SELECT o.account_id = wallet.account_for('ann'), o.details FROM wallet.outbox AS o
       WHERE o.type = 'review_flag.raised' $$,
    $$ VALUES (TRUE, '{"refunds": 3, "by": "account"}'::jsonb) $$, 'the flag is sent as one event'
);
SELECT pg_temp.dismiss();
SELECT is(pg_temp.refund('ann', 'a4', '{"source_at": "2030-01-01T11:00:00Z"}'), 'account 3 dismissed, account 4',
    'a refund that the operator has not counted raises another');
SELECT pg_temp.dismiss();
SELECT is(pg_temp.refund('ann', 'a4'), 'account 3 dismissed, account 4 dismissed', 'a repeated report does not');
SELECT pg_temp.wait('1 day');
SELECT is(
    pg_temp.refund('ann', 'a5'), 'account 3 dismissed, account 4 dismissed, account 5', 'a newer refund does'
);
SELECT is(pg_temp.says(pg_temp.buy('ann', 'a6', 'starter')), 'granted 25 credit', 'a flag alone does not stop grants');

-- One purchase of three products counts as one refund
SELECT pg_temp.refund('gus', 'g1', jsonb_build_object(
    'store_product_id', 'com.hobbyist.bookingapp.credits.' || p.name, 'purchase_products',
    '["com.hobbyist.bookingapp.credits.starter", "com.hobbyist.bookingapp.credits.power",
      "com.hobbyist.bookingapp.credits.explorer"]'::jsonb
)) FROM (VALUES ('starter'), ('power'), ('explorer')) AS p (name);
SELECT is(
    (SELECT count(*)::integer FROM wallet.claims WHERE transaction_id = 'g1' AND refunded_millionths > 0), 3,
    'three products of one purchase are refunded'
);
SELECT is(pg_temp.refund('gus', 'g2'), NULL, 'three products are one refund, so this is the second');
SELECT is(pg_temp.refund('gus', 'g3'), 'account 3', 'the third purchase raises the flag');

-- 180 days
SELECT pg_temp.refund('bob', 'b1'), pg_temp.refund('bob', 'b2'), pg_temp.wait('180 days');
SELECT is(pg_temp.refund('bob', 'b3'), NULL, 'refunds of 180 days ago no longer count');
SELECT is(pg_temp.refund('bob', 'b4', jsonb_build_object('refunded_at', wallet.now() - interval '181 days')), NULL,
    'an old refund reported now does not count');
SELECT is(pg_temp.refund('bob', 'b5'), NULL, 'two of the last 180 days');
SELECT is(pg_temp.refund('bob', 'b6', jsonb_build_object('refunded_at', wallet.now() - interval '179 days')),
    'account 3', 'with one of 179 days ago, three refunds count');

-- A reversed refund does not count
SELECT pg_temp.refund('cid', 'c1'), pg_temp.refund('cid', 'c2'),
    pg_temp.refund('cid', 'c2', '{"refunded_millionths": 0}');
SELECT is(pg_temp.refund('cid', 'c3'), NULL, 'a reversed refund does not count');
SELECT is(
    pg_temp.refund('cid', 'c4', '{"refunded_millionths": 1}'), 'account 3', 'the smallest refunded share counts'
);

-- Refunds of one copy of the app count across accounts
SELECT pg_temp.refund('dan', 'd1', '{"app_transaction_id": "app"}');
SELECT pg_temp.refund('dan', 'd2', '{"app_transaction_id": "app"}');
SELECT is(pg_temp.refund('eve', 'e0', '{"app_transaction_id": "other"}'), NULL, 'a refund of another copy of the app');
SELECT is(pg_temp.refund('eve', 'e1', '{"app_transaction_id": "app"}'), 'app 3', 'the third over two accounts');
SELECT is(
    pg_temp.refund('fay', 'f1', '{"app_transaction_id": "app", "refunded_millionths": 0}'), NULL,
    'a purchase without a refund raises no flag, even for that copy of the app'
);
SELECT is(pg_temp.refund('eve', 'e2', '{"app_transaction_id": "app"}'), 'app 3, account 3',
    'the account gets a separate flag');
SELECT is(
    (SELECT string_agg(o.details ->> 'by', ' ' ORDER BY o.event_id) FROM wallet.outbox AS o
    WHERE o.type = 'review_flag.raised' AND o.account_id = wallet.account_for('eve')), 'app_transaction_id account',
    'each event names the subject of its flag'
);
SELECT is(
    pg_temp.raised($$ UPDATE wallet.review_flags SET resolution = 'blocked', resolved_at = NULL $$), '23514',
    'a resolution has its instant'
);
SELECT is(
    pg_temp.raised($$ UPDATE wallet.review_flags SET resolved_at = NULL, resolution = NULL $$), '23505',
    'one open flag per kind'
);
SELECT pg_temp.sound();
-- Across a change to daylight saving time
SELECT set_config('t.now', '2030-11-10 12:00:00+00', TRUE), set_config('timezone', 'America/New_York', TRUE);
SELECT pg_temp.refund('eva', 'dst1'), pg_temp.refund('eva', 'dst2'), pg_temp.wait('4319 hours 59 minutes');
SELECT is(pg_temp.refund('eva', 'dst3'), 'account 3', 'days have 24 hours in every session time zone');
SELECT set_config('timezone', 'UTC', TRUE);
SELECT * FROM finish();
ROLLBACK;
