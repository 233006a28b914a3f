-- wallet.slices_json: lots and amounts in their order.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
SELECT is(
    wallet.slices_json(ARRAY[pg_temp.id_of('b'), pg_temp.id_of('a')], '{1,2}'),
    jsonb_build_array(
        jsonb_build_object('lot_id', pg_temp.id_of('b'), 'amount', 1),
        jsonb_build_object('lot_id', pg_temp.id_of('a'), 'amount', 2)
    ), 'one object a slice'
);
SELECT is(wallet.slices_json('{}', '{}'), '[]', 'no slices, an empty list');
SELECT is(wallet.slices_json(NULL, NULL), '[]', 'nor for null');
SELECT * FROM finish();
ROLLBACK;
