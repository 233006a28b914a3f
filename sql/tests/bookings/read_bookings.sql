-- wallet.read_bookings: which lots and plans may pay for a class, and the limits, blocks and deadlines of a booking.
-- operations/freeze.sql tests freezes themselves.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 'a', 'threeVisit'), pg_temp.lesson('d' || n, 20, 1, p_ahead => make_interval(days => n))
FROM generate_series(1, 5) AS n;
UPDATE wallet.lots AS l SET frozen_from = pg_temp.noon(2), frozen_until = pg_temp.noon(4), frozen_seconds = 172800
WHERE l.product_id = 'threeVisit';
SELECT
    is(pg_temp.answer(pg_temp.ask('quote', 'ann', NULL, 'd' || n, 1, 'visits')), CASE
        WHEN n BETWEEN 2 AND 3 THEN '409 lot-frozen' ELSE '200 1 visit'
    END, format('a class on day %s, with a lot that is frozen from day 2 to day 4', n))
FROM generate_series(1, 5) AS n;
-- The data of a booking of one seat.
CREATE FUNCTION pg_temp.read(
    p_user text, p_class_id text, p_promoted boolean DEFAULT FALSE, p_at timestamptz DEFAULT wallet.now()
) RETURNS wallet.batch_item LANGUAGE sql AS $$
    SELECT g.* FROM wallet.read_bookings(pg_temp.requests(
        ARRAY[wallet.account_for(p_user)], '{production}', '{book}', ARRAY[pg_temp.id_of('k')], '{k}',
        ARRAY[p_class_id], '{1}'
    ), NULL, p_promoted, p_at) AS g;
$$;
-- A lot that has not started pays for a class within its validity from now
UPDATE wallet.products SET valid_days = 10, starts_within_days = 100 WHERE product_id = 'fiveVisit';
SELECT pg_temp.buy('sue', 's', 'fiveVisit');
SELECT is((pg_temp.read('sue', 'd5', p_at => pg_temp.noon(-5))).lot_amounts, NULL, 'a class when the validity ends');
SELECT is(
    (pg_temp.read('sue', 'd5', p_at => pg_temp.noon(-5) + interval '1 microsecond')).lot_amounts, '{5}',
    'a class a moment before the validity ends'
);
SELECT is(
    (pg_temp.read('sue', 'd1', p_at => pg_temp.noon(100) - interval '1 microsecond')).has_unstarted, TRUE,
    'a moment before its latest start, the lot has not started'
);
SELECT is((pg_temp.read('sue', 'd1', p_at => pg_temp.noon(100))).has_unstarted, FALSE, 'at its latest start, it has');
-- Whether a plan may pay
SELECT pg_temp.buy('pia', 'p', 'plan.unlimited');
SELECT pg_temp.buy('ann', 'test', 'plan.unlimited', '{"environment": "sandbox"}');
SELECT is(
    (pg_temp.read('pia', 'd1', p_at => pg_temp.noon(30) - interval '1 second')).has_plan, TRUE, 'a plan in its period'
);
SELECT is((pg_temp.read('pia', 'd1', p_at => pg_temp.noon(30))).has_plan, FALSE, 'a plan whose period is over');
SELECT is((pg_temp.read('ann', 'd1')).has_plan, FALSE, 'neither another user''s plan nor one of the sandbox counts');
-- Each limit of a class is checked, even if the class has no other limit
SELECT wallet.put_class(
    'l' || l.n, 'Class', pg_temp.noon(5), pg_temp.noon(5) + interval '1 hour', 10, 1, NULL, 1440, 'operator', NULL,
    l.limits
)
FROM (VALUES
    (1, '(,,,,,9)'::wallet.class_limits), (2, '(9,,,,,)'), (3, '(,9,,,,)'), (4, '(,,9,,,)'), (5, '(,,,9,,)'),
    (6, '(,,,,9,)')
) AS l (n, limits);
SELECT is(
    (SELECT string_agg(concat(r.has_limits, ' ', r.limits_overlaps), ', ' ORDER BY n) FROM generate_series(1, 6) AS n
    CROSS JOIN LATERAL pg_temp.read('ann', 'l' || n) AS r),
    'f f, t f, t f, t f, t f, t t', 'none, seats, days ahead, opening, closing and overlaps'
);
-- Blocked members and accounts that are gone
UPDATE wallet.wallets AS w SET blocked_until = wallet.now() + interval '1 microsecond'
WHERE w.account_id = wallet.account_for('ann');
SELECT is(
    pg_temp.answer(pg_temp.ask('quote', 'ann', NULL, 'd5')), '403 booking-blocked', 'a moment before the block ends'
);
UPDATE wallet.wallets AS w SET blocked_until = wallet.now() WHERE w.account_id = wallet.account_for('ann');
SELECT is(pg_temp.answer(pg_temp.ask('quote', 'ann', NULL, 'd5')), '200 1 visit', 'the block ends at its instant');
SELECT wallet.account_for('del'), wallet.account_for('mia');
UPDATE wallet.accounts AS a SET deleted_at = wallet.now() WHERE a.account_id = wallet.account_for('del');
UPDATE wallet.accounts AS a SET merged_into = wallet.account_for('ann') WHERE a.account_id = wallet.account_for('mia');
SELECT is(
    (SELECT pg_temp.answer(o) FROM wallet.book_batch(
        pg_temp.requests(ARRAY[a.account_id], '{production}', '{quote}', '{}', '{}', '{d5}', '{1}'), TRUE,
        ARRAY[a.created_at + i.later]
    ) AS o), i.answer, i.name
)
FROM (VALUES
    ('ann', NULL, '200 1 visit', 'an account'),
    ('ann', interval '0', '200 1 visit', 'an account that the service remembers'),
    ('ann', interval '1 second', '401 unauthenticated', 'another account with the remembered number'),
    ('del', NULL, '401 unauthenticated', 'a deleted account'),
    ('mia', NULL, '401 unauthenticated', 'a merged account')
) AS i (user_id, later, answer, name)
INNER JOIN wallet.accounts AS a ON a.account_id = wallet.account_for(i.user_id);
-- The deadline of a free cancellation
SELECT pg_temp.lesson('soon', 1, NULL, 10, '10 minutes');
SELECT is((pg_temp.read('ann', 'd1')).free_until, pg_temp.noon(0), 'a day before the class');
SELECT is((pg_temp.read('ann', 'd3', TRUE)).free_until, pg_temp.noon(2), 'from the waitlist, not earlier');
SELECT is(
    (pg_temp.read('ann', 'd1', TRUE)).free_until, pg_temp.noon(0) + interval '30 minutes',
    'from the waitlist, half an hour at least'
);
SELECT is(
    (pg_temp.read('ann', 'soon', TRUE)).free_until, pg_temp.noon(0) + interval '10 minutes',
    'from the waitlist, at most until the start'
);
-- The items of a batch
SELECT pg_temp.book('pia', 'used', 'd1');
SELECT is(pg_temp.answer(pg_temp.ask('quote', 'pia', 'used', 'd2')), '200 0', 'a quote with the key of a booking');
SELECT is(
    (
        SELECT array_agg(g.item) FROM wallet.read_bookings(pg_temp.requests(
            '{NULL,NULL,NULL}', '{NULL,NULL,NULL}', '{quote,quote,quote}', '{NULL,NULL,NULL}'
        ), '{2}', FALSE, wallet.now()) AS g
    ), '{2}', 'only the requested item is read'
);
SELECT * FROM finish();
ROLLBACK;
