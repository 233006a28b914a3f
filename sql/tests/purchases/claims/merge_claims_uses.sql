-- wallet.merge_claims: visits consumed by reference (wallet.consume_pass) stay consumed, under any of the claims.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.pass(p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy('ann', p_id, 'threeVisit', '{"original_transaction_id": null}' || p_more));
$$;
CREATE FUNCTION pg_temp.uses(p_id text, p_reference text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', u.remaining, CASE WHEN u.replayed THEN 'replayed' END
    ) FROM wallet.consume_pass(wallet.account_for('ann'), 'production', p_id, p_reference) AS u;
$$;
SELECT pg_temp.pass('a1'), pg_temp.wait('1 minute');
SELECT pg_temp.pass(NULL, '{"order_id": "a2"}'), pg_temp.wait('1 minute');
SELECT pg_temp.pass('a3', '{"original_transaction_id": "A"}'), pg_temp.pass('b');
SELECT set_config('t.third', extract(EPOCH FROM wallet.now())::text, TRUE);
SELECT is(pg_temp.uses('a3', 'both'), '2', 'a visit of the third claim'), pg_temp.wait('1 minute');
SELECT is(pg_temp.uses('a2', 'both'), '2', 'another of the second, for the same reference'), pg_temp.wait('1 minute');
SELECT set_config('t.second', extract(EPOCH FROM wallet.now() - interval '1 minute')::text, TRUE);
SELECT is(pg_temp.uses('a1', 'first'), '2', 'a use of the first claim');
SELECT is(pg_temp.uses('b', 'other'), '2', 'a use of another purchase');
SELECT pg_temp.by_index(FALSE);
SELECT is(
    pg_temp.pass('a1', jsonb_build_object(
        'order_id', 'a2', 'original_transaction_id', 'A', 'purchased_at', wallet.now() - interval '2 minutes'
    )), 'granted 3 visit duplicate', 'the three are one purchase'
);
SELECT is(
    (SELECT string_agg(concat_ws(' ', u.value ->> 'reference', CASE (u.value ->> 'used_at')::numeric
        WHEN current_setting('t.second')::numeric THEN 'at the second''s instant'
        WHEN current_setting('t.third')::numeric THEN 'at the third''s instant'
    END), ', ' ORDER BY u.value ->> 'reference')
    FROM wallet.purchases AS p, jsonb_array_elements(p.used_by) AS u WHERE p.transaction_id = 'a1'),
    'both at the second''s instant, first', 'a reference used by both claims is listed once, as the older claim''s'
);
SELECT is(pg_temp.uses('a1', i.reference), i.says, i.what) FROM (VALUES
    ('first', '2 replayed', 'a used reference stays used'),
    ('both', '2 replayed', 'also what only the others had used'),
    ('other', '1', 'but not what another purchase had')
) AS i (reference, says, what);
SELECT pg_temp.by_index(TRUE);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
