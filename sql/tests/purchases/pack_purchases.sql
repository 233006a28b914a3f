-- wallet.pack_purchases and wallet.credit_movements: account statements for apps that display their own.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.enable_store('app_store', wallet.now() - interval '1 day');
SELECT pg_temp.lesson('a', 20);
UPDATE wallet.products SET bonus = 5 WHERE product_id LIKE '%.starter';
SELECT pg_temp.buy('ann', 't', 'starter', '{"quantity": 2}'), pg_temp.buy('ann', 'v', 'plan.explorer');
SELECT results_eq(
    $$ SELECT p.transaction_id, p.granted, p.bonus, p.status, p.purchased_at = wallet.now()
       FROM wallet.pack_purchases AS p $$,
    $$ VALUES ('t', 60::bigint, 10::bigint, 'completed', TRUE) $$, 'a pack, how often it was bought, and its bonus'
);
UPDATE wallet.products SET bonus = 7 WHERE product_id LIKE '%.starter';
SELECT is((SELECT p.bonus FROM wallet.pack_purchases AS p), 0::bigint, 'an unknown bonus counts as 0');
SELECT pg_temp.buy('ann', 'old', 'power', jsonb_build_object('purchased_at', wallet.now() - interval '20 years'));
SELECT pg_temp.buy('ann', 'wait', 'power', '{"pending": true}');
SELECT pg_temp.buy('ann', 't', 'starter', jsonb_build_object(
    'refunded_millionths', 1000000, 'refunded_at', wallet.now(), 'source', 'notification', 'source_at', wallet.now()
));
SELECT results_eq(
    $$ SELECT p.transaction_id, p.status FROM wallet.pack_purchases AS p ORDER BY 1 $$,
    $$ VALUES ('old', 'completed'), ('t', 'refunded'), ('wait', 'pending') $$, 'every state'
);
SELECT pg_temp.gift('ann', 20), pg_temp.gift('ann', 3, 'visit'), pg_temp.book('ann', 'k', 'a');
SELECT results_eq(
    $$ SELECT m.kind, m.amount, m.source, m.class_title, m.transaction_id, m.product_name, m.reason
       FROM wallet.credit_movements AS m ORDER BY m.version $$,
    $$ VALUES
        ('grant', 60::bigint, 'pack', NULL, 't', 'Starter', NULL),
        ('refund', -60, 'pack', NULL, 't', 'Starter', NULL),
        ('adjust', 20, 'adjustment', NULL, NULL, NULL, 'gift'),
        ('spend', -20, 'adjustment', 'Class a', NULL, NULL, NULL) $$,
    'only movements of credits, each with its origin'
);
SELECT * FROM finish();
ROLLBACK;
