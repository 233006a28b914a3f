-- wallet.fact_names: the ids by which two messages are about the same purchase.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
SELECT is(
    wallet.fact_names(pg_temp.message(jsonb_build_array(
        pg_temp.fact('t2', 'starter', '{"original_transaction_id": "t1", "order_id": "o", "line_item_id": "l"}'),
        pg_temp.fact('t3', 'starter', '{"purchase_token": "p", "linked_purchase_token": "q"}')
    ), 'ann')),
    ARRAY['o', 'p', 'q', 't1', 't2', 't3'], 'each id once; products, owners and line items do not count'
);
SELECT is(wallet.fact_names(s.event), '{}'::text[], 'none in ' || coalesce(s.event::text, 'null'))
FROM (VALUES
    (NULL::jsonb), ('{}'), ('[]'), ('"text"'), ('{"statements": null}'), ('{"statements": "text"}'),
    ('{"statements": [1, null, {}, {"fact": "text"}, {"fact": {"transaction_id": 7, "order_id": null}}]}')
) AS s (event);
SELECT * FROM finish();
ROLLBACK;
