-- wallet.is_malformed: what no booking, quote or cancellation can be.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.bad(p_operation text, p_seats integer, p_key text, p_class_id text, p_id uuid, p_account bigint)
RETURNS boolean LANGUAGE sql AS $$
    SELECT wallet.is_malformed(p_account, 'production', p_operation, p_id, p_key, p_class_id, p_seats);
$$;
SELECT is(pg_temp.bad(i.operation, i.seats, i.key, i.class_id, i.id::uuid, i.account), i.bad, i.what) FROM (VALUES
    ('book', 1, 'k', 'a', md5('k'), 1, FALSE, 'a booking'),
    ('book', 100, repeat('k', 255), 'a', md5('k'), 1, FALSE, 'the largest booking with the longest key'),
    ('book', 101, 'k', 'a', md5('k'), 1, TRUE, 'one seat more'),
    ('book', 0, 'k', 'a', md5('k'), 1, TRUE, 'no seats'),
    ('book', -1, 'k', 'a', md5('k'), 1, TRUE, 'less than no seats'),
    ('book', NULL, 'k', 'a', md5('k'), 1, TRUE, 'seats missing'),
    ('book', 1, '', 'a', md5('k'), 1, TRUE, 'an empty key'),
    ('book', 1, repeat('k', 256), 'a', md5('k'), 1, TRUE, 'a key too long'),
    ('book', 1, NULL, 'a', md5('k'), 1, TRUE, 'a key missing'),
    ('book', 1, 'k', NULL, md5('k'), 1, TRUE, 'a class missing'),
    ('book', 1, 'k', 'a', NULL, 1, TRUE, 'an id missing'),
    ('book', 1, 'k', 'a', md5('k'), NULL, TRUE, 'an account missing'),
    ('quote', 1, NULL, 'a', NULL, 1, FALSE, 'a quote needs neither key nor id'),
    ('quote', 0, NULL, 'a', NULL, 1, TRUE, 'but seats'),
    ('cancel', NULL, NULL, NULL, md5('k'), 1, FALSE, 'a cancellation needs an id'),
    ('cancel', NULL, NULL, NULL, NULL, 1, TRUE, 'and nothing without it'),
    ('BOOK', 1, 'k', 'a', md5('k'), 1, TRUE, 'an operation that nobody knows'),
    (NULL, 1, 'k', 'a', md5('k'), 1, TRUE, 'an operation missing')
) AS i (operation, seats, key, class_id, id, account, bad, what);
SELECT ok(wallet.is_malformed(1, NULL, 'cancel', md5('k')::uuid, NULL, NULL, NULL), 'an environment missing');
SELECT * FROM finish();
ROLLBACK;
