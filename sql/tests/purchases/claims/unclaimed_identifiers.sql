-- wallet.unclaimed_identifiers: the identifiers of a fact that no claim has.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 't1', 'starter', '{"original_transaction_id": "o1", "line_item_id": "l1", "order_id": "r1"}');
SELECT results_eq(
    format($$ SELECT u.transaction_id, u.original_transaction_id, u.line_item_id, u.order_id, u.purchase_token
              FROM wallet.unclaimed_identifiers(wallet.read_fact(%L)) AS u $$,
                  pg_temp.fact(i.id, 'starter', i.more::jsonb)),
    format('SELECT a[1], a[2], a[3], a[4], a[5] FROM (SELECT %L::text[] AS a) AS v', i.left_over), i.what
) FROM (VALUES
    ('t1', '{"original_transaction_id": "o1", "line_item_id": "l1", "order_id": "r1"}', '{NULL,NULL,NULL,NULL,NULL}',
        'claimed identifiers are removed'),
    ('t2', '{"original_transaction_id": "o2", "line_item_id": "l1", "order_id": "r2", "purchase_token": "p"}',
        '{t2,o2,NULL,r2,p}', 'new identifiers stay, and a line item is one with any original id'),
    ('t1', '{"original_transaction_id": "o1", "purchased_at": "2029-01-01T00:00:00Z"}', '{NULL,o1,NULL,NULL,NULL}',
        'an original id is new at another second'),
    ('t1', '{"original_transaction_id": "o1", "environment": "sandbox"}', '{t1,o1,NULL,NULL,NULL}',
        'in the other environment all identifiers are unclaimed')
) AS i (id, more, left_over, what);
SELECT * FROM finish();
ROLLBACK;
