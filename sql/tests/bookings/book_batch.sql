-- wallet.book_batch, wallet.decide_batch: batches whose items are decided separately and in order (rules 7, 18 to 20).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 30), pg_temp.lesson('c', 10, NULL, 1);
SELECT pg_temp.gift('ann', 100), pg_temp.gift('bob', 25), pg_temp.gift('cid', 10);

CREATE FUNCTION pg_temp.item(
    p_operation text, p_user text, p_key text, p_class_id text DEFAULT NULL, p_seats integer DEFAULT 1
) RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object(
        'operation', p_operation, 'account', wallet.account_for(p_user), 'key', p_key, 'class', p_class_id,
        'seats', p_seats
    );
$$;
CREATE FUNCTION pg_temp.group_of(VARIADIC p_items jsonb[]) RETURNS text LANGUAGE sql AS $$
    WITH i AS (SELECT v, n FROM unnest(p_items) WITH ORDINALITY AS i (v, n))

    SELECT string_agg(pg_temp.answer(o), ', ' ORDER BY o.item)
    FROM pg_temp.batch(
        ARRAY(SELECT (i.v ->> 'account')::bigint FROM i ORDER BY i.n),
        ARRAY(SELECT 'production'::wallet.environment FROM i),
        ARRAY(SELECT i.v ->> 'operation' FROM i ORDER BY i.n),
        ARRAY(SELECT pg_temp.id_of(i.v ->> 'key') FROM i ORDER BY i.n),
        ARRAY(SELECT i.v ->> 'key' FROM i ORDER BY i.n),
        ARRAY(SELECT i.v ->> 'class' FROM i ORDER BY i.n),
        ARRAY(SELECT (i.v ->> 'seats')::integer FROM i ORDER BY i.n),
        ARRAY(SELECT NULL::text FROM i), ARRAY(SELECT NULL::bigint FROM i)
    ) AS o;
$$;

SELECT is(
    pg_temp.group_of(
        pg_temp.item('book', 'ann', 'k1', 'a'), pg_temp.item('book', 'cid', 'k2', 'a'),
        pg_temp.item('book', 'bob', 'k3', 'nowhere'), pg_temp.item('book', 'bob', 'k4', 'a')
    ),
    '201 booked 20 credit, 402 insufficient-credits, 404 class-not-found, 201 booked 20 credit',
    'refused items do not affect the accepted ones'
);
SELECT is(
    pg_temp.group_of(
        pg_temp.item('book', 'ann', 'k5', 'b', 0), pg_temp.item('book', 'ann', 'k6', 'b', -1),
        pg_temp.item('book', 'ann', 'k7', 'b', NULL), pg_temp.item('book', 'ann', 'k8', 'b', 2147483647),
        pg_temp.item('book', 'ann', NULL, 'b'), pg_temp.item('book', 'ann', 'k9', NULL),
        pg_temp.item('book', 'ann', repeat('k', 256), 'b'), pg_temp.item('refund', 'ann', 'k1', 'a'),
        pg_temp.item(NULL, 'ann', 'k1', 'a'), pg_temp.item('quote', 'ann', 'k1', 'b', -1),
        pg_temp.item('book', 'ann', 'k10', 'b')
    ),
    repeat('400 malformed-request, ', 10) || '201 booked 30 credit',
    'malformed items (seats of 0, -1, null and 2^31, no key, no class, no operation) are refused alone'
);
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'failed bookings create no credits');
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'bob', 'same', 'nowhere'), pg_temp.item('book', 'bob', 'same', 'nowhere')),
    '404 class-not-found, 404 class-not-found', 'a refusal is not pinned to its key'
);
SELECT pg_temp.gift('bob', 100);
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'bob', 'twin', 'b'), pg_temp.item('book', 'bob', 'twin', 'b')),
    '201 booked 30 credit, 200 booked 30 credit replayed',
    'formance #1633: the same key twice in one group books once and replays'
);
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'bob', 'twin', 'b'), pg_temp.item('book', 'bob', 'twin', 'b', 2)),
    '200 booked 30 credit replayed, 422 idempotency-key-reused', 'the same key for another request is refused alone'
);
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'bob', 'c1', 'c'), pg_temp.item('book', 'ann', 'c2', 'c')),
    '201 booked 10 credit, 409 class-full', 'the last seat of a class goes to the first of the group'
);
SELECT is(
    pg_temp.group_of(pg_temp.item('cancel', 'bob', 'c1'), pg_temp.item('book', 'ann', 'c2', 'c')),
    '200 cancelled 10 credit returned 10, 201 booked 10 credit', 'a seat that the group frees is the group''s to sell'
);
SELECT is(
    pg_temp.group_of(
        pg_temp.item('cancel', 'bob', 'twin'), pg_temp.item('cancel', 'bob', 'twin'),
        pg_temp.item('book', 'bob', 'again', 'b')
    ),
    '200 cancelled 30 credit returned 30, 200 cancelled 30 credit returned 30 replayed, 201 booked 30 credit',
    'booking #43: cancelled twice and booked again in one group, the seat and the credits come back once'
);
SELECT is(pg_temp.seats_sold('b'), 2, 'the class counts the two that stand');
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'bob', 'd1', 'a'), pg_temp.item('book', 'bob', 'd2', 'a')),
    '409 already-booked, 409 already-booked', 'the same class with another key is already booked'
);
SELECT is(
    pg_temp.group_of(pg_temp.item('quote', 'ann', 'q', 'b'), pg_temp.item('quote', 'bob', 'q', 'c')),
    '409 already-booked, 409 class-full', 'quotes of a group say what booking would'
);
SELECT pg_temp.gift('dan', 40), pg_temp.lesson('x', 40), pg_temp.lesson('y', 40);
SELECT is(
    pg_temp.group_of(
        pg_temp.item('book', 'dan', 'x1', 'x'), pg_temp.item('book', 'dan', 'y1', 'y'),
        pg_temp.item('cancel', 'dan', 'x1'), pg_temp.item('book', 'dan', 'y2', 'y')
    ),
    '201 booked 40 credit, 402 insufficient-credits, 200 cancelled 40 credit returned 40, 201 booked 40 credit',
    'blnk #181: each item of a group sees what the ones before it spent and gave back'
);
SELECT is(
    pg_temp.story('dan'), 'adjust 40, spend -40, return 40, spend -40',
    'the ledger has the cancellation before the new booking'
);

SELECT pg_temp.gift('fay', 1, 'visit'), pg_temp.gift('fay', 40), pg_temp.lesson('v', 3, 1), pg_temp.lesson('w', 3, 1);
SELECT pg_temp.book('fay', 'v1', 'v');
SELECT is(
    pg_temp.group_of(pg_temp.item('cancel', 'fay', 'v1'), pg_temp.item('book', 'fay', 'w1', 'w')),
    '200 cancelled 1 visit returned 1, 201 booked 1 visit',
    'visits returned by a cancellation pay for the next booking of the group'
);

-- The shape of an answer
SELECT results_eq(
    $$ SELECT o.item, o.status, o.slug, o.detail, o.replayed, o.class_id, o.class_title, o.booking_status, o.seats,
              o.unit::text, o.amount, cardinality(o.lot_ids), o.free_minutes_before,
              o.starts_at - o.free_until, o.created_at = wallet.now(), o.cancelled_at, o.late_cancel, o.returned,
              o.credits, o.visits, o.version
       FROM pg_temp.book('ann', 'shape', 'x') AS o $$,
    $$ VALUES (1, 201, NULL::text, NULL::jsonb, FALSE, 'x', 'Class x', 'booked', 1, 'credit', 40::bigint, 1, 1440,
              interval '1 day', TRUE, NULL::timestamptz, FALSE, NULL::bigint, 0::bigint, 0::bigint, 5::bigint) $$,
    'a booking answers with class, price, policy and the balance after it'
);

-- Arrays of different lengths, and an empty batch
SELECT is_empty(
    $$ SELECT * FROM pg_temp.batch('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}') $$,
    'an empty batch has no answers'
);
SELECT is_empty(
    $$ SELECT * FROM wallet.book_batch(NULL, NULL) $$, 'a null batch has no answers'
);
SELECT results_eq(
    $$ SELECT o.item, o.slug FROM pg_temp.batch(
           ARRAY[wallet.account_for('ann')], ARRAY['production', 'sandbox']::wallet.environment[],
               ARRAY['book', 'cancel'],
           '{}', '{}', '{}', '{}', '{}', '{}') AS o $$,
    $$ VALUES (1, 'malformed-request'), (2, 'malformed-request') $$, 'an item with missing members is malformed'
);
SELECT is(
    (
        SELECT o.slug FROM pg_temp.batch(
            '{-1}', '{production}', '{book}', ARRAY[gen_random_uuid()], '{k}', '{a}', '{1}', '{null}', '{null}'
        ) AS o
    ), 'unauthenticated', 'an account that does not exist books nothing'
);

-- Without waiting, wallets that are not locked are used as usual
SELECT is(
    (SELECT pg_temp.answer(o) FROM pg_temp.batch(
        ARRAY[wallet.account_for('eve')], '{production}', '{book}', ARRAY[gen_random_uuid()], '{k}', '{a}', '{1}',
        '{null}', '{null}', FALSE
    ) AS o), '402 insufficient-credits', 'a new wallet is not busy'
);

-- Earlier items of the group affect later ones of the same wallet or class
SELECT pg_temp.lesson('g' || n, 10, 1, 3) FROM generate_series(1, 4) AS n;
SELECT pg_temp.lesson('solo', 30, NULL, 1), pg_temp.gift('eli', 100), pg_temp.gift('gus', 1, 'visit');
SELECT pg_temp.gift('two', 20), pg_temp.gift('two', 10), pg_temp.gift('fox', 30);
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'eli', 'e1', 'g1'), pg_temp.item('book', 'eli', 'e2', 'g1')),
    '201 booked 10 credit, 409 already-booked', 'one class twice, under two keys'
);
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'eli', 'e3', 'g2'), pg_temp.item('book', 'eli', 'e3', 'g3')),
    '201 booked 10 credit, 422 idempotency-key-reused', 'one key for two classes'
);
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'two', 't1', 'solo'), pg_temp.item('book', 'fox', 'f1', 'solo')),
    '201 booked 30 credit, 409 class-full', 'the first request gets the last seat, although two lots must pay'
);
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'gus', 'u1', 'g1'), pg_temp.item('book', 'gus', 'u2', 'g2')),
    '201 booked 1 visit, 402 insufficient-credits', 'a single visit pays once'
);
SELECT pg_temp.gift('gus', 2, 'visit');
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'gus', 'u3', 'g3'), pg_temp.item('book', 'gus', 'u4', 'g4')),
    '201 booked 1 visit, 201 booked 1 visit', 'both visits pay'
);
SELECT is(
    (SELECT string_agg(concat_ws(' ', o.status, o.slug, o.detail ->> 'seats_left'), ', ' ORDER BY o.item)
     FROM pg_temp.batch(
        ARRAY[wallet.account_for('eli'), wallet.account_for('fox')], '{production,production}', '{book,book}',
        ARRAY[pg_temp.id_of('s1'), pg_temp.id_of('s2')], '{s1,s2}', '{g4,g4}', '{1,2}', '{NULL,NULL}', '{NULL,NULL}'
    ) AS o), '201, 409 class-full 1', 'a refusal reports the seats that the group has left'
);
SELECT pg_temp.wait('2 days');
SELECT is(
    pg_temp.group_of(pg_temp.item('cancel', 'eli', 'e1'), pg_temp.item('cancel', 'gus', 'u1')),
    '200 cancelled 10 credit returned 10, 200 cancelled 1 visit returned 1', 'free until the instant itself'
);
-- A class whose seat is freed for its own wallet is decided in order, even if other items could take the fast path
SELECT pg_temp.lesson('again', 10, NULL, 1), pg_temp.gift('ivy', 10), pg_temp.book('ivy', 'i1', 'again');
SELECT is(
    pg_temp.group_of(
        pg_temp.item('cancel', 'ivy', 'i1'), pg_temp.item('book', 'ivy', 'i2', 'again'),
        pg_temp.item('book', 'eli', 'i3', 'again')
    ),
    '200 cancelled 10 credit returned 10, 201 booked 10 credit, 409 class-full',
    'the user who frees a seat may take it again'
);
-- A wallet with exactly enough in two lots, next to a wallet with too little
SELECT pg_temp.lesson('three', NULL, 3), pg_temp.gift('joy', 2, 'visit', '20 days'), pg_temp.gift('joy', 1, 'visit');
SELECT pg_temp.gift('kai', 2, 'visit');
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'joy', 'j1', 'three'), pg_temp.item('book', 'kai', 'j2', 'three')),
    '201 booked 3 visit, 402 insufficient-credits', 'the last remaining visit can be spent'
);
-- A clock that is set back does not reverse the order of times in the ledger
SELECT pg_temp.lesson('late' || n, 5) FROM generate_series(1, 2) AS n;
SELECT pg_temp.wait('-1 hour');
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'eli', 'l1', 'late1'), pg_temp.item('book', 'eli', 'l2', 'late2')),
    '201 booked 5 credit, 201 booked 5 credit', 'two bookings by a clock that was set back'
);
-- A booking of the other environment is unknown, even if the group has locked the seats of its class
SELECT pg_temp.lesson('env', 5), pg_temp.gift('lea', 10), pg_temp.gift('max', 5, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('lea', 'v2', 'env');
SELECT is(
    (SELECT string_agg(pg_temp.answer(o), ', ' ORDER BY o.item) FROM pg_temp.batch(
        ARRAY[wallet.account_for('max'), wallet.account_for('lea')], '{sandbox,sandbox}', '{book,cancel}',
        ARRAY[pg_temp.id_of('v3'), pg_temp.id_of('v2')], '{v3,NULL}', '{env,NULL}', '{1,NULL}', '{NULL,NULL}',
        '{NULL,NULL}'
    ) AS o), '201 booked 5 credit, 404 booking-not-found', 'the sandbox cancels nothing of production'
);
SELECT is(pg_temp.seats_sold('env') || ' ' || pg_temp.seats_sold('env', 'sandbox'), '1 1', 'where the seat stays sold');
-- With wallets in both environments, the amount returns to the sandbox wallet
SELECT pg_temp.gift('max', 7);
SELECT is(
    (SELECT o.credits FROM pg_temp.cancel('max', 'v3', 'sandbox') AS o), 5::bigint, 'a cancellation answers its balance'
);
SELECT is(
    pg_temp.funds('max') || ', ' || pg_temp.funds('max', 'sandbox'), '7 0 0 0, 5 0 0 0',
    'the production wallet is unchanged'
);
-- A user who cancels a booking of a class that the studio has cancelled gets everything back, however late
SELECT pg_temp.lesson('off', 5, NULL, 10, '2 hours'), pg_temp.book('lea', 'v4', 'off');
SELECT wallet.cancel_class('off', 'ill', 'operator', NULL);
SELECT is(
    (SELECT pg_temp.answer(o) || ' by ' || o.cancelled_by FROM pg_temp.cancel('lea', 'v4') AS o),
    '200 cancelled 5 credit returned 5 by studio', 'a class that does not take place costs nothing'
);
-- A quote changes nothing
SELECT pg_temp.lesson('n' || n, 1) FROM generate_series(1, 4) AS n;
SELECT pg_temp.gift('ola', 2, 'credit', '20 days'), pg_temp.gift('ola', 10), pg_temp.gift('pat', 10);
SELECT is(
    pg_temp.group_of(pg_temp.item('quote', 'pat', 'q1', 'n1'), pg_temp.item('quote', 'pat', 'q2', 'n2')),
    '200 1 credit, 200 1 credit', 'two quotes of one wallet'
);
SELECT is(
    pg_temp.funds('pat') || ', ' || pg_temp.story('pat') || ', ' || pg_temp.seats_sold('n1'),
    '10 0 0 0, adjust 10, 0', 'a quote changes neither the wallet nor the seats'
);
-- Bookings of several classes are written together, in order of arrival
SELECT is(
    pg_temp.group_of(
        pg_temp.item('book', 'ola', 'o1', 'n1'), pg_temp.item('book', 'ola', 'o2', 'n2'),
        pg_temp.item('book', 'pat', 'o1', 'n3')
    ), '201 booked 1 credit, 201 booked 1 credit, 201 booked 1 credit', 'two bookings of one wallet, then another''s'
);
SELECT is(
    (
        SELECT string_agg(b.class_id, ' ' ORDER BY o.event_id) FROM wallet.outbox AS o
        INNER JOIN wallet.bookings AS b ON o.account_id = b.account_id AND o.booking_id = b.booking_id
        WHERE b.class_id ~ '^n[1-4]$'
    ), 'n1 n2 n3', 'the events are in the order of the requests'
);
-- A cancellation whose return is posted separately: the lot that paid has an expiry and is used up
SELECT is(
    pg_temp.answer(pg_temp.cancel('ola', 'o1')), '200 cancelled 1 credit returned 1',
    'neither the user''s other bookings nor another user''s booking with that id matter'
);
-- Items that need the written result of an earlier item
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'ola', 'o3', 'n3'), pg_temp.item('cancel', 'ola', 'o3')),
    '201 booked 1 credit, 200 cancelled 1 credit returned 1', 'a booking that the group cancels again'
);
UPDATE wallet.classes SET max_overlaps = 1 WHERE class_id = 'n4';
SELECT is(
    pg_temp.group_of(pg_temp.item('book', 'ola', 'o4', 'n3'), pg_temp.item('book', 'ola', 'o5', 'n4')),
    '201 booked 1 credit, 409 overlapping-booking', 'a limit of overlaps counts the earlier bookings of the group'
);
-- Cancellations that post no entries
SELECT pg_temp.lesson('near', 1, NULL, 10, '2 hours'), pg_temp.book('ola', 'o6', 'near');
SELECT is(
    pg_temp.group_of(pg_temp.item('cancel', 'ola', 'o6'), pg_temp.item('book', 'ola', 'o7', 'n1')),
    '200 cancelled 1 credit returned 0 late, 201 booked 1 credit', 'a late cancellation, then a booking of that wallet'
);
SELECT FROM wallet.admit_token('anon', wallet.now(), TRUE);
SELECT pg_temp.buy('anon', 'plan', 'plan.unlimited'), pg_temp.book('anon', 'p1', 'n1');
SELECT wallet.merge_accounts('anon', 'zoe');
SELECT is(
    pg_temp.group_of(pg_temp.item('cancel', 'zoe', 'p1'), pg_temp.item('book', 'pat', 'p2', 'n4')),
    '200 cancelled 0 returned 0, 201 booked 1 credit', 'a plan''s booking, cancelled by a wallet without any entry'
);
-- A maximum equal to the price is accepted
SELECT pg_temp.lesson('most', 5, 1), pg_temp.gift('ria', 9);
SELECT is(pg_temp.answer(pg_temp.book('ria', 'm1', 'most', 1, NULL, 4)), '409 price-changed', 'less than the price');
SELECT is(pg_temp.answer(pg_temp.book('ria', 'm2', 'most', 1, NULL, 5)), '201 booked 5 credit', 'the price');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
