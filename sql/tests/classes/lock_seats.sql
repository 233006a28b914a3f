-- wallet.lock_seats: locks the seat counts that items will change (rule 19; isolation/ tests the order of locks).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20), pg_temp.lesson('c', 20);
SELECT pg_temp.gift('ann', 100), pg_temp.book('ann', 'k', 'c'), pg_temp.book('ann', 'l', 'b');
CREATE EXTENSION IF NOT EXISTS pgrowlocks;
CREATE FUNCTION pg_temp.locked(p_operation text, p_key text, p_class_id text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_before xid8;
BEGIN
    PERFORM wallet.lock_seats(pg_temp.requests(
        ARRAY[wallet.account_for('ann')], '{production}', ARRAY[p_operation], ARRAY[pg_temp.id_of(p_key)], '{}',
        ARRAY[p_class_id]
    ), TRUE);
    RETURN (
        SELECT string_agg(s.class_id || ' ' || s.environment, ', ' ORDER BY s.class_id, s.environment)
        FROM public.pgrowlocks('wallet.class_seats') AS l
        INNER JOIN wallet.class_seats AS s ON s.ctid = l.locked_row
        WHERE s.class_id IN ('a', 'b', 'c') AND l.modes = '{"For Update"}'
    );
END;
$$;
SELECT is(
    wallet.lock_seats(pg_temp.requests(
        ARRAY[wallet.account_for('ann')], '{sandbox}', '{cancel}', ARRAY[pg_temp.id_of('k')]
    ), p.wait), '{}', 'a cancellation in one environment locks nothing of the other, ' || p.wait
) FROM (VALUES (TRUE), (FALSE)) AS p (wait);
SELECT is(
    wallet.lock_seats(pg_temp.requests(
        ARRAY[wallet.account_for('bob')], '{production}', '{cancel}', ARRAY[pg_temp.id_of('k')]
    ), TRUE), '{}', 'a cancellation of another user''s booking locks nothing'
);
SELECT is(pg_temp.locked('quote', 'k', 'a'), NULL, 'a quote locks no seats');
SELECT is(pg_temp.locked('book', 'x', 'nowhere'), NULL, 'a class that does not exist is passed over');
SELECT is(pg_temp.locked('book', 'x', 'a'), 'a production', 'a booking locks its class in its environment');
SELECT is(
    pg_temp.locked('cancel', 'k', NULL), 'a production, c production', 'a cancellation the class of its booking'
);
SELECT is(
    cardinality(wallet.lock_seats(pg_temp.requests(
        ARRAY[wallet.account_for('ann'), wallet.account_for('ann')], '{production,production}', '{cancel,quote}',
        ARRAY[pg_temp.id_of('k'), pg_temp.id_of('l')]
    ), TRUE)), 1, 'a quote next to a cancellation locks no further class'
);
SELECT * FROM finish();
ROLLBACK;
