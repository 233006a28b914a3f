-- wallet.book_batch: items whose accounts the service remembers, and items whose accounts the function looks up.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 100), pg_temp.gift('bob', 100), pg_temp.gift('cyd', 100);
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20);
CREATE TEMPORARY TABLE known AS
SELECT i.user_id, a.account_id, a.created_at AS opened_at FROM wallet.identities AS i
INNER JOIN wallet.accounts AS a ON i.account_id = a.account_id;
-- The answer to one item of a remembered account.
CREATE FUNCTION pg_temp.known(
    p_operation text, p_user text, p_key text, p_class_id text, p_later interval DEFAULT '0'
) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(pg_temp.answer(o), '') FROM known AS k
    CROSS JOIN LATERAL wallet.book_batch(
        pg_temp.requests(
            ARRAY[k.account_id], '{production}', ARRAY[p_operation], ARRAY[pg_temp.id_of(p_user || p_key)], ARRAY[p_key],
            ARRAY[p_class_id], '{1}'
        ), TRUE, ARRAY[k.opened_at + p_later]
    ) AS o
    WHERE k.user_id = p_user;
$$;
SELECT is(pg_temp.known('book', 'ann', 'k', 'a'), '201 booked 20 credit', 'a remembered account books');
SELECT is(
    (
        SELECT row(o.account_id, o.opened_at)::text FROM known AS k
        CROSS JOIN LATERAL wallet.book_batch(
            pg_temp.requests(
                ARRAY[NULL::bigint], '{production}', '{book}', ARRAY[pg_temp.id_of('found')], '{found}', '{b}', '{1}'
            ), TRUE, '{infinity}', ARRAY['bob'], ARRAY[clock_timestamp()], '{f}'
        ) AS o
        WHERE k.user_id = 'bob'
    ), (SELECT row(k.account_id, k.opened_at)::text FROM known AS k WHERE k.user_id = 'bob'),
    'the answer returns the account that was looked up, not the remembered one'
);
SELECT results_eq(
    $$ SELECT o.item, o.status, o.account_id IS NOT NULL FROM wallet.book_batch(
           pg_temp.requests(
               '{NULL,NULL,NULL}', '{production,production,production}', '{book,book,quote}',
               ARRAY[pg_temp.id_of('x'), pg_temp.id_of('y'), NULL], '{x,y,z}', '{b,nowhere,b}', '{1,1,1}'
           ), TRUE, NULL, '{ann,bob,cyd}', array_fill(clock_timestamp(), ARRAY[3]), '{f,f,f}'
       ) AS o ORDER BY o.item $$,
    $$ VALUES (1, 201, TRUE), (2, 404, FALSE), (3, 200, FALSE) $$,
    'each item has its own user, and only a new booking names the account'
);
SELECT is(
    pg_temp.known('book', 'cyd', 'k', 'a', '1 microsecond'), '401 unauthenticated',
    'a different account with the remembered number is refused'
);
SELECT is(pg_temp.known('quote', 'cyd', 'k', 'a', '-1 microsecond'), '401 unauthenticated', 'a quote is refused, too');
SELECT is(
    pg_temp.known('cancel', 'ann', 'k', NULL, '1 microsecond'), '401 unauthenticated', 'a cancellation is refused, too'
);
SELECT is(
    pg_temp.known('book', 'ann', 'k', 'a', '1 microsecond'), '401 unauthenticated', 'a replay is refused, too'
);
SELECT is(
    (
        SELECT o.slug FROM wallet.book_batch(
            pg_temp.requests('{987654321}', '{production}', '{book}', ARRAY[pg_temp.id_of('n')], '{n}', '{a}', '{1}'),
            w.waits, ARRAY[clock_timestamp()]
        ) AS o
    ), 'unauthenticated', 'a removed account is refused, with or without waiting'
) FROM (VALUES (TRUE), (FALSE)) AS w (waits);
SELECT is(
    pg_temp.known('cancel', 'ann', 'k', NULL), '200 cancelled 20 credit returned 20', 'a remembered account cancels'
);
SELECT is(pg_temp.known('book', 'cyd', 'k', 'a'), '201 booked 20 credit', 'the right account can book');
\o /dev/null
SELECT wallet.delete_account('cyd');
SELECT wallet.admit_token('guest', clock_timestamp(), TRUE), pg_temp.gift('guest', 100);
INSERT INTO known
SELECT i.user_id, a.account_id, a.created_at FROM wallet.identities AS i
INNER JOIN wallet.accounts AS a ON i.account_id = a.account_id WHERE i.user_id = 'guest';
SELECT pg_temp.known('book', 'guest', 'k', 'a');
SELECT wallet.merge_accounts('guest', 'bob');
\o
SELECT is(
    pg_temp.known(d.operation, u.user_id, d.key, d.class_id), '401 unauthenticated',
    format('%s of the account of %s', d.name, u.name)
)
FROM (VALUES ('cyd', 'a deleted user'), ('guest', 'a merged user')) AS u (user_id, name)
CROSS JOIN (
    VALUES ('book', 'other', 'b', 'a booking'), ('book', 'k', 'a', 'a booking sent again'),
        ('quote', 'q', 'b', 'a quote'), ('cancel', 'k', NULL, 'a cancellation')
) AS d (operation, key, class_id, name);
SELECT is(
    pg_temp.answer(pg_temp.cancel_by(b.account_id, b.environment, b.booking_id, 'studio')),
    '200 cancelled 20 credit returned 20', 'the studio cancels what a merged user booked'
)
FROM wallet.bookings AS b WHERE b.booking_id = pg_temp.id_of('guestk');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
