-- wallet.read_bookings, wallet.read_cancellations: malformed bookings, quotes and cancellations.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.bad(p_operation text, p_seats integer, p_key text, p_class_id text, p_id uuid)
RETURNS boolean LANGUAGE sql AS $$
    SELECT o.slug IS NOT DISTINCT FROM 'malformed-request' FROM wallet.book_batch(ARRAY[ROW(
        wallet.account_for('ann'), 'production', p_operation, p_id, p_key, p_class_id, p_seats, NULL, NULL
    )::wallet.booking_request]) AS o;
$$;
SELECT is(pg_temp.bad(i.operation, i.seats, i.key, i.class_id, i.id::uuid), i.bad, i.what) FROM (VALUES
    ('book', 1, 'k', 'a', md5('k'), FALSE, 'a booking'),
    ('book', 100, repeat('k', 255), 'a', md5('k'), FALSE, 'the largest booking with the longest key'),
    ('book', 101, 'k', 'a', md5('k'), TRUE, 'one seat more'),
    ('book', 0, 'k', 'a', md5('k'), TRUE, 'no seats'),
    ('book', -1, 'k', 'a', md5('k'), TRUE, 'less than no seats'),
    ('book', NULL, 'k', 'a', md5('k'), TRUE, 'seats missing'),
    ('book', 1, '', 'a', md5('k'), TRUE, 'an empty key'),
    ('book', 1, repeat('k', 256), 'a', md5('k'), TRUE, 'a key too long'),
    ('book', 1, NULL, 'a', md5('k'), TRUE, 'a key missing'),
    ('book', 1, 'k', NULL, md5('k'), TRUE, 'a class missing'),
    ('book', 1, 'k', 'a', NULL, TRUE, 'an id missing'),
    ('quote', 1, NULL, 'a', NULL, FALSE, 'a quote needs neither key nor id'),
    ('quote', 0, NULL, 'a', NULL, TRUE, 'a quote needs seats'),
    ('cancel', NULL, NULL, NULL, md5('k'), FALSE, 'a cancellation needs an id'),
    ('cancel', NULL, NULL, NULL, NULL, TRUE, 'a cancellation without an id is malformed'),
    ('BOOK', 1, 'k', 'a', md5('k'), TRUE, 'an unknown operation'),
    (NULL, 1, 'k', 'a', md5('k'), TRUE, 'an operation missing')
) AS i (operation, seats, key, class_id, id, bad, what);
SELECT is(
    (SELECT o.slug FROM wallet.book_batch(ARRAY[row(
        wallet.account_for('ann'), NULL, 'cancel', md5('k')::uuid, NULL, NULL, NULL, NULL, NULL
    )::wallet.booking_request]) AS o), 'malformed-request', 'an environment missing'
);
SELECT * FROM finish();
ROLLBACK;
