-- The read-only views of sql/views/admin/events.sql; none lists a user with two identities twice.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't1', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT is_empty('SELECT * FROM admin.refunds', 'no refund');
SELECT pg_temp.buy('ann', 't1', 'starter', '{"refunded_millionths": 1000000, "source_at": "2030-02-01T00:00:00Z"}');
SELECT pg_temp.gift('ann', 8);
SELECT results_eq(
    $$ SELECT r.user_id, r.transaction_id, r.product_id, r.refunded_millionths::integer, r.granted, r.refunded, r.owed,
           r.repaid, r.used_by -> 0 ->> 'class_id' FROM admin.refunds AS r $$,
    $$ VALUES ('ann', 't1', 'com.hobbyist.bookingapp.credits.starter', 1000000, 25::bigint,
       25::bigint, 12::bigint, 8::bigint, 'a') $$,
    'a refund, the bookings that spent it, and the repaid part'
);
SELECT pg_temp.buy('bob', 't2', 'starter', '{"refunded_millionths": 1000000}');
SELECT is((SELECT r.owed FROM admin.refunds AS r WHERE r.user_id = 'bob'), 0::bigint, 'an unspent refund owes nothing');
INSERT INTO wallet.identities (user_id, account_id, app_account_token, created_at, merged_at)
VALUES ('ann-before', wallet.account_for('ann'), gen_random_uuid(), wallet.now(), wallet.now());
INSERT INTO wallet.testers (account_id, created_at) VALUES (wallet.account_for('ann'), wallet.now());
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
VALUES (wallet.account_for('ann'), 'production', 3, wallet.now());
SELECT is(
    (SELECT count(*)::integer FROM admin.wallets AS v WHERE v.account_id = wallet.account_for('ann')), 1, 'wallets'
);
SELECT is((SELECT string_agg(v.user_id, ' ') FROM admin.bookings AS v), 'ann', 'bookings');
SELECT is((SELECT string_agg(v.user_id, ' ') FROM admin.refunds AS v WHERE v.transaction_id = 't1'), 'ann', 'refunds');
SELECT is(
    (SELECT string_agg(v.user_id, ' ') FROM admin.purchases AS v WHERE v.transaction_id = 't1'), 'ann', 'purchases'
);
SELECT is((SELECT string_agg(v.user_id, ' ') FROM admin.testers AS v), 'ann', 'testers');
SELECT is((SELECT string_agg(v.user_id, ' ') FROM admin.adjustments AS v), 'ann', 'adjustments');
SELECT is((SELECT string_agg(v.user_id, ' ') FROM admin.review_flags AS v), 'ann', 'review flags');
SELECT is((SELECT count(*) FROM admin.outbox), (SELECT count(*) FROM wallet.outbox), 'events');
SELECT is((SELECT count(*) FROM admin.ledger), (SELECT count(*) FROM wallet.entries), 'entries');

-- The catalogue of offers
SELECT is(pg_temp.raised(
    $$ INSERT INTO admin.offers (product_id, offer_id, name)
       VALUES ('com.hobbyist.bookingapp.credits.starter', 'back', 'Come back') $$, 'wallet_admin'
), 'nothing', 'an offer is added');
SELECT is(pg_temp.raised(
    $$ UPDATE admin.offers SET eligibility = 'lapsed', is_active = FALSE WHERE offer_id = 'back' $$, 'wallet_admin'
), 'nothing', 'the offer is changed');
SELECT is(
    (SELECT concat_ws(' ', o.eligibility, o.is_active) FROM admin.offers AS o), 'lapsed f',
    'the offer has the entered values'
);
SELECT is(pg_temp.raised(
    $$ UPDATE admin.offers SET eligibility = 'everybody' $$, 'wallet_admin'
), '23514', 'within what Apple allows');
SELECT is(pg_temp.raised(
    $$ UPDATE admin.products SET grant_source = 'virtual_currency'
       WHERE product_id = 'com.hobbyist.bookingapp.credits.starter' $$, 'wallet_admin'
), 'nothing', 'a product names what grants it');
SELECT * FROM finish();
ROLLBACK;
