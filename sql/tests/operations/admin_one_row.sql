-- wallet.admin_one_row: a forgotten WHERE changes nothing in any view that administrators write.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20);
SELECT pg_temp.buy('ann', 'p', 'starter'), pg_temp.buy('bob', 'q', 'starter');
INSERT INTO admin.testers (user_id) VALUES ('ann'), ('bob');
INSERT INTO admin.offers (product_id, offer_id, name)
SELECT 'com.hobbyist.bookingapp.subscription.explorer', o.id, 'Back' FROM (VALUES ('one'), ('two')) AS o (id);
INSERT INTO wallet.inbox (source, source_event_id, type, payload, received_at)
SELECT 'app_store', e.id, 'TEST', '{}', wallet.now() FROM (VALUES ('e'), ('f')) AS e (id);
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
SELECT wallet.account_for(u.name), 'production', 3, wallet.now() FROM (VALUES ('ann'), ('bob')) AS u (name);

CREATE TEMPORARY TABLE statements AS
SELECT s.view, s.statement FROM (VALUES
    ('products', 'UPDATE admin.products SET is_active = FALSE'),
    ('classes', 'UPDATE admin.classes SET capacity = 11'),
    ('offers', 'UPDATE admin.offers SET is_active = FALSE'),
    ('purchases', 'UPDATE admin.purchases SET released = TRUE'),
    ('webhook_inbox', 'UPDATE admin.webhook_inbox SET status = ''new'''),
    ('outbox', 'UPDATE admin.outbox SET status = ''pending'''),
    ('review_flags', 'UPDATE admin.review_flags SET resolution = ''dismissed'''),
    ('testers', 'DELETE FROM admin.testers')
) AS s (view, statement);
SELECT is(
    pg_temp.raised(s.statement, 'wallet_admin'), 'WL422 one-row-at-a-time', s.view || ' refuses several rows at once'
) FROM statements AS s;
SELECT is(
    (SELECT count(*)::integer FROM wallet.products AS p WHERE NOT p.is_active)
    + (SELECT count(*)::integer FROM wallet.claims AS c WHERE c.released_at IS NOT NULL), 0,
    'no product or claim is changed'
);
SELECT is(
    pg_temp.raised(format('UPDATE admin.classes SET capacity = 11 WHERE class_id = %L', c.id), 'wallet_admin'),
    'nothing', 'one row a statement, ' || c.id
) FROM (VALUES ('a'), ('b')) AS c (id);
SELECT set_config('wallet.bulk', 'on', TRUE);
SELECT is(pg_temp.raised(s.statement, 'wallet_admin'), 'nothing', s.view || ' takes several rows where that is meant')
FROM statements AS s;
SELECT set_config('wallet.bulk', 'off', TRUE);
SELECT is(
    (SELECT count(*)::integer FROM wallet.claims AS c WHERE c.released_at IS NOT NULL), 2, 'all claims are changed'
);
-- Each view that allows more than INSERT has the guard; admin.wallets has its own, for the whole transaction.
SELECT results_eq(
    $$ SELECT DISTINCT t.tgrelid::regclass::text COLLATE "C" FROM pg_catalog.pg_trigger AS t
       WHERE t.tgfoid = 'wallet.admin_one_row'::regproc AND t.tgname LIKE '%one\_row' ORDER BY 1 $$,
    $$ SELECT DISTINCT g.object COLLATE "C" FROM (
           SELECT c.table_schema || '.' || c.table_name AS object FROM information_schema.column_privileges AS c
           WHERE c.grantee = 'wallet_admin' AND c.privilege_type = 'UPDATE'
           UNION ALL
           SELECT r.table_schema || '.' || r.table_name FROM information_schema.role_table_grants AS r
           WHERE r.grantee = 'wallet_admin' AND r.privilege_type = 'DELETE'
       ) AS g WHERE g.object <> 'admin.wallets' ORDER BY 1 $$,
    'every view has the guard'
);
SELECT * FROM finish();
ROLLBACK;
