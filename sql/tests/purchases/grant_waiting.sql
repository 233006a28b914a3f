-- wallet.grant_waiting: purchases claimed before their product was added are granted with it (rule 15).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(pg_temp.says(pg_temp.buy('ann', 'a1', 'new.pack')), 'skipped unknown-product', 'an unknown product');
SELECT is(
    pg_temp.says(pg_temp.buy('bob', 'a1', 'new.pack')), 'skipped transaction-already-claimed',
    'the first submitter claims the purchase'
);
SELECT pg_temp.buy('cid', 'c1', 'new.pack', '{"quantity": 2, "refunded_millionths": 500000}');
SELECT pg_temp.buy('dan', 'd1', 'new.pack', '{"refunded_millionths": 1000000}');
SELECT pg_temp.buy('eve', 'e1', 'new.pack', '{"environment": "sandbox"}');
SELECT pg_temp.buy('fay', 'f1', 'new.pack'), pg_temp.buy(NULL, 'n1', 'new.pack');
SELECT pg_temp.buy('gil', 'g1', 'new.pack', '{"purchased_at": "2019-01-01T00:00:00Z"}');
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('fay');
INSERT INTO admin.products (product_id, kind, name, unit, amount, bonus, price_minor, grace_days, is_active,
    app_store_id)
VALUES ('new', 'pack', 'New', 'credit', 30, 5, 100, 7, TRUE, 'new.pack');

SELECT is(pg_temp.funds('ann'), '35 0 0 0', 'the waiting claim is granted, with the bonus');
SELECT is(pg_temp.funds('bob'), NULL, 'only the owner of the claim gets the grant');
SELECT is(pg_temp.funds('cid'), '35 0 0 0', 'quantity and refund count');
SELECT is(pg_temp.story('dan'), NULL, 'a refunded one is not');
SELECT is(pg_temp.funds('eve', 'sandbox'), '35 0 0 0', 'a sandbox one in the sandbox');
SELECT is(pg_temp.story('fay'), NULL, 'a blocked account''s is not');
SELECT is(pg_temp.story('gil'), NULL, 'a purchase from before the cut-over is not granted');
SELECT is(
    (SELECT string_agg(c.transaction_id || ' ' || c.verdict, ', ' ORDER BY c.transaction_id) FROM wallet.claims AS c),
    'a1 granted, c1 granted, d1 refunded, e1 granted, f1 account-blocked, g1 before-cut-over, n1 unknown-user',
    'each claim has its verdict'
);
UPDATE admin.products SET bonus = 50 WHERE product_id = 'new';
SELECT is(pg_temp.funds('ann'), '35 0 0 0', 'polar #11427: editing the product again grants nothing more');
SELECT is(pg_temp.says(pg_temp.buy('hal', 'h1', 'new.pack')), 'granted 80 credit', 'a later buyer is granted at once');

-- A product that gets a store's id only now, and a purchase of another store
SELECT wallet.enable_store('play_store', '2020-01-01');
SELECT pg_temp.buy('ida', 'i1', 'late.id'), pg_temp.buy('jon', 'j1', 'late.id', '{"store": "play_store"}');
UPDATE admin.products SET play_store_id = 'late.id' WHERE product_id = 'new';
SELECT is(pg_temp.funds('jon'), '80 0 0 0', 'the store''s id identifies the product');
SELECT is(pg_temp.story('ida'), NULL, 'only purchases of that store are granted');

-- A plan
SELECT pg_temp.buy('kim', 'k1', 'plan.new');
INSERT INTO admin.products (
    product_id, kind, name, unit, amount, bonus, price_minor, grace_days, tier, entitlements, period, unlimited,
    trial_amount,
    rollover_percentage, is_active, app_store_id
) VALUES (
    'plan', 'plan', 'Plan', 'visit', 3, 0, 100, 7, 1, '{premium}', 'P1M', FALSE, 0, 0, TRUE,
    'com.hobbyist.bookingapp.subscription.new'
);
SELECT is(pg_temp.funds('kim'), '0 3 0 0', 'a plan''s period is granted');
SELECT is(
    (SELECT s.status FROM wallet.subscription_states AS s WHERE s.account_id = wallet.account_for('kim')), 'active',
    'the subscription is active'
);
SELECT pg_temp.buy('lea', 'l1', 'plan.play', '{"store": "play_store", "store_product_id": "play:monthly"}');
UPDATE admin.products SET play_store_id = 'play' WHERE product_id = 'plan';
SELECT is(pg_temp.funds('lea'), '0 3 0 0', 'at Google Play under any base plan, if the product names none');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
