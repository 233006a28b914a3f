-- wallet.write_batch: writes only if the rows are still where they were read.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 10), pg_temp.lesson('a', 2);
CREATE FUNCTION pg_temp.write(p_lot tid, p_seats tid) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.write_batch(
            NULL, NULL, ARRAY[%L::tid], ARRAY[0::bigint], ARRAY[%L::tid], ARRAY[0], FALSE, wallet.now()
        )', p_lot, p_seats
    ));
$$;
CREATE FUNCTION pg_temp.lot() RETURNS tid LANGUAGE sql AS $$
    SELECT l.ctid FROM wallet.lots AS l WHERE l.account_id = wallet.account_for('ann');
$$;
CREATE FUNCTION pg_temp.seats() RETURNS tid LANGUAGE sql AS $$
    SELECT s.ctid FROM wallet.class_seats AS s WHERE s.class_id = 'a' AND s.environment = 'production';
$$;
SELECT is(
    pg_temp.write(pg_temp.lot(), pg_temp.seats()), 'nothing', 'rows that are where they were read are written'
);
SELECT is(pg_temp.write('(4000000,1)', pg_temp.seats()), 'P0001', 'one moved lot fails the whole batch');
SELECT is(pg_temp.write(pg_temp.lot(), '(4000000,1)'), 'P0001', 'one moved seat count fails it, too');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
