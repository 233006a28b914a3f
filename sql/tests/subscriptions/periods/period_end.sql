-- wallet.period_end: a period's own end, or the start of the period that replaced it (rule 29).
BEGIN;
\ir ../../support/books.sql
\ir ../../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.ends(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT to_char(wallet.period_end(pg_temp.claim(p_id)), 'MM-DD');
$$;
SELECT pg_temp.buy('ann', 'p1', 'plan.explorer', pg_temp.days(0, 30));
SELECT is(pg_temp.ends('p1'), '01-31', 'alone, its own end');
SELECT pg_temp.buy('ann', 'p2', 'plan.explorer', pg_temp.days(29, 60));
SELECT is(pg_temp.ends('p1'), '01-31', 'an early renewal of the same product cuts nothing short');
SELECT pg_temp.buy('ann', 'p3', 'plan.unlimited', pg_temp.days(40, 70));
SELECT is(pg_temp.ends('p2'), '02-10', 'an upgrade does');
SELECT is(pg_temp.ends('p1'), '01-31', 'an ended period is not replaced');
SELECT is(pg_temp.ends('p3'), '03-12', 'a period does not replace itself');
SELECT pg_temp.buy('ann', 'p4', 'plan.enthusiast', pg_temp.days(70, 100));
SELECT is(pg_temp.ends('p3'), '03-12', 'a period that begins at the end does not replace it');

-- Another chain of the group, another group, another store, another user
SELECT pg_temp.buy('bob', 'b1', 'plan.explorer', pg_temp.days(0, 30, '{"original_transaction_id": "bob1"}'));
SELECT pg_temp.buy('cid', 'c1', 'plan.enthusiast', pg_temp.days(5, 35, '{"original_transaction_id": "cid"}'));
SELECT is(pg_temp.ends('b1'), '01-31', 'another user''s period has no effect');
INSERT INTO wallet.stores (store, grants_from) VALUES ('play_store', '2020-01-01T00:00Z')
ON CONFLICT (store) DO NOTHING;
SELECT pg_temp.buy('bob', 'b2', 'plan.enthusiast', pg_temp.days(6, 36,
    '{"store": "play_store", "original_transaction_id": "bob2"}'));
SELECT is(pg_temp.ends('b1'), '01-31', 'another store''s period does not replace it');
SELECT pg_temp.buy('bob', 'b3', 'plan.enthusiast', pg_temp.days(7, 37,
    '{"environment": "sandbox", "original_transaction_id": "bob3"}'));
SELECT is(pg_temp.ends('b1'), '01-31', 'a sandbox period does not replace it');
SELECT pg_temp.report('bob', 'b4', 'plan.enthusiast', pg_temp.days(8, 38,
    '{"pending": true, "original_transaction_id": "bob4"}'));
SELECT is(pg_temp.ends('b1'), '01-31', 'a period without a grant does not replace it');
UPDATE wallet.products SET subscription_group = 'other' WHERE product_id LIKE '%subscription.unlimited';
SELECT pg_temp.buy('bob', 'b5', 'plan.unlimited', pg_temp.days(9, 39, '{"original_transaction_id": "bob5"}'));
SELECT is(pg_temp.ends('b1'), '01-31', 'a period of another group does not replace it');
SELECT pg_temp.buy('bob', 'b6', 'plan.enthusiast', pg_temp.days(10, 40, '{"original_transaction_id": "bob6"}'));
SELECT is(pg_temp.ends('b1'), '01-11', 'a period of the same group replaces it, in any chain');

-- Google Play reports which purchase a purchase replaces, even with the same product
SELECT pg_temp.buy('dan', 'd1', 'plan.explorer', pg_temp.days(0, 30,
    '{"store": "play_store", "original_transaction_id": "d1", "purchase_token": "old"}'));
SELECT pg_temp.buy('dan', 'd2', 'plan.explorer', pg_temp.days(12, 42,
    '{"store": "play_store", "original_transaction_id": "d2", "purchase_token": "new", "linked_purchase_token": "old"}'
));
SELECT is(pg_temp.ends('d1'), '01-13', 'a linked token replaces the linked purchase');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
