-- wallet.apply_batch with facts: each is applied as if it arrived alone, in order of arrival.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.statement(p_id text, p_product text, p_more jsonb DEFAULT '{}', p_owner text DEFAULT NULL)
RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('fact', pg_temp.fact(p_id, p_product, p_more), 'owners', array_remove(ARRAY[p_owner], NULL));
$$;
-- Items as 'place: verdict' or 'place: state message'.
CREATE FUNCTION pg_temp.taken(p_submitters text[], p_statements jsonb[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(
        a.item || ': ' || CASE WHEN a.state IS NULL THEN pg_temp.says(a.fact) ELSE concat_ws(' ', a.state, a.message) END
        ORDER BY a.item
    ) FROM wallet.apply_batch(ARRAY(
        SELECT ROW(i.who, 'infinity', FALSE, NULL, i.statement, NULL, NULL, NULL, NULL, NULL)::wallet.store_request
        FROM unnest(p_submitters, p_statements) WITH ORDINALITY AS i (who, statement, place) ORDER BY i.place
    )) AS a;
$$;

SELECT is(
    pg_temp.taken(ARRAY['ann', 'bob', NULL, 'ann', 'cid'], ARRAY[
        pg_temp.statement('t1', 'starter'), pg_temp.statement('t2', 'explorer'),
        pg_temp.statement('t3', 'starter', '{}', 'dan'), pg_temp.statement('t1', 'starter'),
        pg_temp.statement('t1', 'starter')
    ]),
    ARRAY[
        '1: granted 25 credit', '2: granted 50 credit', '3: granted 25 credit', '4: granted 25 credit duplicate',
        '5: skipped transaction-already-claimed duplicate'
    ],
    'each item is answered in its place, and the same purchase as in sequence'
);
SELECT is(
    ARRAY[pg_temp.funds('ann'), pg_temp.funds('bob'), pg_temp.funds('dan')],
    ARRAY['25 0 0 0', '50 0 0 0', '25 0 0 0'], 'each owner has the purchases, once'
);
SELECT is(
    pg_temp.taken(ARRAY['ann', 'ann', NULL, 'bob'], ARRAY[
        pg_temp.statement('t4', 'starter'), '{"fact": {"store": "app_store"}}'::jsonb,
        pg_temp.statement('t5', 'starter', '{"quantity": 0}'), pg_temp.statement('t6', 'starter')
    ]),
    ARRAY[
        '1: granted 25 credit', '2: WL422 purchase-data-incomplete',
        '3: WL422 purchase-data-out-of-range', '4: granted 25 credit'
    ],
    'refused and malformed items do not affect the others'
);
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'the other items of the same user were granted');
SELECT is(count(*)::integer, 0, 'refused items leave no claims') FROM wallet.claims AS c WHERE c.transaction_id = 't5';

-- A lock that is not free at once: the item is left to the caller, with later items about the same purchase
SELECT is(
    pg_temp.taken(ARRAY['ann', 'bob', 'ann'], ARRAY[
        pg_temp.statement('t7', 'starter'), pg_temp.statement('t8', 'starter'), pg_temp.statement('t7', 'starter')
    ]),
    ARRAY['1: granted 25 credit', '2: granted 25 credit', '3: granted 25 credit duplicate'],
    'without locks all items are applied'
);
SELECT pg_temp.failing('55P03');
SELECT is(
    pg_temp.taken(ARRAY['ann', 'ann', 'bob', 'bob'], ARRAY[
        pg_temp.statement('t9', 'starter'), pg_temp.statement('t7', 'starter'), pg_temp.statement('t9', 'starter'),
        pg_temp.statement('t10', 'starter', '{"original_transaction_id": "t9"}')
    ]),
    ARRAY[
        '1: 55P03 key (user_id)=(ann) is secret', '2: granted 25 credit duplicate', '3: 55P03', '4: 55P03'
    ],
    'later items about the same purchase wait for the earlier one'
);
SELECT pg_temp.failing('');
SELECT is(
    pg_temp.taken(ARRAY['ann', 'bob'], ARRAY[pg_temp.statement('t9', 'starter'), pg_temp.statement('t9', 'starter')]),
    ARRAY['1: granted 25 credit', '2: skipped transaction-already-claimed duplicate'], 'the failed batch left nothing'
);
SELECT pg_temp.failing('53100');
SELECT throws_ok(
    $$ SELECT pg_temp.taken(ARRAY['ann'], ARRAY[pg_temp.statement('t11', 'starter')]) $$, '53100', NULL,
    'an error that no item caused ends the group'
);
SELECT pg_temp.failing('');
SELECT is(pg_temp.taken('{}', '{}'), NULL, 'an empty batch has no answers');
SET LOCAL lock_timeout = '2s';
SELECT pg_temp.taken(ARRAY['ann'], ARRAY[pg_temp.statement('t1', 'starter')]);
SELECT is(current_setting('lock_timeout'), '2s', 'the caller''s patience is as before');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
