-- wallet.read_bookings and wallet.read_cancellations: the data read for each item, and its refusals (rules 7, 18 to
-- 24).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 10), pg_temp.gift('ann', 5, 'credit', '10 days'), pg_temp.gift('ann', 3, 'visit');
SELECT pg_temp.gift('bob', 10), pg_temp.buy('pia', 'plan', 'plan.unlimited');
SELECT pg_temp.lesson('a', 2, 1), pg_temp.lesson('b', 2), pg_temp.lesson('far', 2, NULL, 10, '20 days');
SELECT pg_temp.book('ann', 'known', 'b');
CREATE FUNCTION pg_temp.read(
    p_user text, p_class_id text, p_key text DEFAULT 'k', p_seats integer DEFAULT 1, p_pay_with text DEFAULT NULL
) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', CASE WHEN NOT g.is_complete THEN 'incomplete' END, CASE WHEN g.known_id IS NOT NULL THEN 'known' END,
        (
            SELECT d.slug FROM wallet.decide_booking(g, g.seats_left, g.lot_amounts, wallet.now()) AS d
            WHERE g.is_complete AND d.slug NOT IN ('insufficient-credits', 'payment-not-accepted')
        ), CASE WHEN g.has_waiting THEN 'waits' END, (
            SELECT 'unlimited' FROM wallet.decide_booking(g, g.seats, g.lot_amounts, wallet.now()) AS d
            WHERE d.status IS NULL AND d.unit IS NULL
        ),
        (SELECT 'visits ' || string_agg(l.amount::text, '+' ORDER BY l.n)
         FROM unnest(g.lot_units, g.lot_amounts) WITH ORDINALITY AS l (unit, amount, n) WHERE l.unit = 'visit'),
        (SELECT 'credits ' || string_agg(l.amount::text, '+' ORDER BY l.n)
         FROM unnest(g.lot_units, g.lot_amounts) WITH ORDINALITY AS l (unit, amount, n) WHERE l.unit = 'credit'),
        'seats ' || g.seats_left
    )
    FROM wallet.read_bookings(
        pg_temp.requests(
            ARRAY[wallet.account_for(p_user)], '{production}', '{book}', ARRAY[pg_temp.id_of(p_key)], ARRAY[p_key],
            ARRAY[p_class_id], ARRAY[p_seats], ARRAY[p_pay_with]
        ), NULL, FALSE, wallet.now()
    ) AS g;
$$;
-- The number of items that one booking creates.
CREATE FUNCTION pg_temp.items(p_user text) RETURNS integer LANGUAGE sql AS $$
    SELECT count(*)::integer FROM wallet.read_bookings(pg_temp.requests(
        ARRAY[wallet.account_for(p_user)], '{production}', '{book}', ARRAY[pg_temp.id_of('i')], '{i}', '{a}', '{1}'
    ), NULL, FALSE, wallet.now());
$$;
SELECT is(
    pg_temp.read('ann', 'a'), 'visits 3 credits 3+10 seats 10',
    'an ordinary booking, with the lots in burn order'
);
SELECT is(
    pg_temp.read('ann', 'far'), 'visits 3 credits 10 seats 10', 'a lot that ends before the class does not pay for it'
);
SELECT is(pg_temp.read('pia', 'a'), 'unlimited seats 10', 'an unlimited plan covers one seat');
SELECT is(pg_temp.read('pia', 'a', 'k', 2), 'seats 10', 'an unlimited plan does not cover two seats');
SELECT is(pg_temp.read('ann', 'a', 'known'), 'known visits 3 credits 3+10 seats 10', 'a key used before is known');
SELECT is(
    pg_temp.read('ann', 'b'), 'already-booked visits 3 credits 3+10 seats 9',
    'a class with an active booking of the user is reported'
);
SELECT is(pg_temp.read('ann', 'nowhere'), 'class-not-found visits 3 credits 3+10', 'an unknown class is reported');
SELECT wallet.account_for('new');
SELECT is(pg_temp.read('new', 'a'), 'seats 10', 'an account without a wallet');
SELECT is(pg_temp.read('ann', 'a', 'k', 0), 'incomplete visits 3 credits 3+10 seats 10', 'zero seats are malformed');
SELECT is(
    pg_temp.read('ann', 'a', 'k', 101), 'incomplete visits 3 credits 3+10 seats 10', 'too many seats are malformed'
);
SELECT is(pg_temp.read('ann', 'a', repeat('k', 256)), 'incomplete visits 3 credits 3+10 seats 10', 'a key too long');
SELECT wallet.admit_token('gone', wallet.now(), TRUE), pg_temp.gift('gone', 1), pg_temp.gift('joe', 1);
SELECT set_config('t.gone', wallet.account_for('gone')::text, TRUE), wallet.merge_accounts('gone', 'joe');
SELECT results_eq(
    $$ SELECT g.item, g.is_complete, (wallet.refuse_request(g)).slug FROM wallet.read_bookings(pg_temp.requests(
           ARRAY[wallet.account_for('ann'), current_setting('t.gone')::bigint], '{production,production}', '{book,book}',
           ARRAY[NULL, pg_temp.id_of('g')], '{g,h}', '{a,a}', '{1,1}'
       ), NULL, FALSE, wallet.now()) AS g ORDER BY g.item $$,
    $$ VALUES (1, FALSE, 'malformed-request'), (2, TRUE, 'unauthenticated') $$,
    'an item without a booking id, and a merged account'
);
SELECT is(
    pg_temp.read('ann', 'a', 'k', 1, 'unlimited'), 'visits 3 credits 3+10 seats 10', 'a plan requested explicitly'
);
SELECT is(
    pg_temp.read('ann', 'a', 'k', 1, 'credits'), 'visits 3 credits 3+10 seats 10',
    'a requested unit does not count as a lot'
);

-- Lots that are used up, or that expire when the class begins
SELECT pg_temp.lesson('v', 2, 1), pg_temp.lesson('later', 2, 1, 10, '20 days');
SELECT pg_temp.gift('vic', 1, 'visit', '5 days'), pg_temp.book('vic', 'v', 'v');
SELECT pg_temp.gift('vic', 2, 'visit', '20 days');
SELECT is(pg_temp.read('vic', 'a'), 'visits 2 seats 10', 'a lot that is used up pays for nothing more');
SELECT is(pg_temp.read('vic', 'later'), 'seats 10', 'a lot that expires when the class begins does not pay');
SELECT pg_temp.gift('van', 2, 'credit', '5 days'), pg_temp.book('van', 'v2', 'v');
SELECT pg_temp.gift('van', 5, 'credit', '20 days');
SELECT is(pg_temp.read('van', 'a'), 'credits 5 seats 10', 'a used-up lot of credits does not pay');
SELECT is(pg_temp.read('van', 'later'), 'seats 10', 'a lot of credits that expires then does not pay either');

-- The lot that expires first pays first, however PostgreSQL finds the lots
SELECT pg_temp.gift('wil', 4, 'visit'), pg_temp.gift('wil', 2, 'visit', '12 days');
SELECT pg_temp.gift('wil', 3, 'visit', '9 days');
SELECT pg_temp.gift('wil', 7), pg_temp.gift('wil', 5, 'credit', '12 days'), pg_temp.gift('wil', 6, 'credit', '9 days');
SELECT pg_temp.by_index(FALSE);
SELECT is(pg_temp.read('wil', 'a'), 'visits 3+2+4 credits 6+5+7 seats 10', 'first the lot that ends first');
SELECT pg_temp.by_index(TRUE);

-- A plan in grace, and two plans at once
SELECT pg_temp.buy('gia', 'grace', 'plan.unlimited', jsonb_build_object(
    'purchased_at', wallet.now() - interval '30 days', 'expires_at', wallet.now() - interval '1 hour',
    'billing_issue', TRUE, 'grace_ends_at', wallet.now() + interval '6 days'
));
SELECT is(pg_temp.read('gia', 'a'), 'unlimited seats 10', 'a plan in grace covers a seat');
UPDATE wallet.products SET subscription_group = NULL WHERE product_id LIKE '%subscription.unlimited';
SELECT pg_temp.buy('gia', 'another', 'plan.explorer'), pg_temp.buy('gia', 'third', 'plan.unlimited');
SELECT is(pg_temp.items('gia') || ' ' || pg_temp.items('wil'), '1 1', 'two plans or many lots still give one item');

-- Lots of other users or the sandbox, and cancelled bookings, have no effect
SELECT pg_temp.gift('sam', 9), pg_temp.gift('tom', 8, 'credit', '8 days'), pg_temp.gift('tom', 8, 'visit', '8 days');
SELECT pg_temp.gift('sam', 7, 'credit', '7 days', 'sandbox'), pg_temp.gift('sam', 7, 'visit', '7 days', 'sandbox');
SELECT pg_temp.gift('tom', 8, 'credit', NULL, 'sandbox'), pg_temp.lesson('w', 2, 1, 1), pg_temp.lesson('x', 2, 1);
SELECT pg_temp.buy('sam', 'sandbox plan', 'plan.unlimited', '{"environment": "sandbox"}');
SELECT pg_temp.book('tom', 'tom''s', 'x'), pg_temp.book('sam', 'sandbox', 'x', 1, 'credits', NULL, 'sandbox');
SELECT pg_temp.book('tom', 'full', 'w', 1, 'credits', NULL, 'sandbox');
SELECT wallet.join_waitlist(wallet.account_for('sam'), 'sandbox', 'w', 1, NULL, NULL);
SELECT is(pg_temp.read('sam', 'x', 'tom''s'), 'credits 9 seats 9', 'another user''s key and booking have no effect');
SELECT is(pg_temp.read('sam', 'x', 'sandbox'), 'credits 9 seats 9', 'a key and a booking of the sandbox');
SELECT is(pg_temp.read('sam', 'w'), 'credits 9 seats 1', 'a full class of the sandbox, and waiting for it');
SELECT is(pg_temp.read('pia', 'w'), 'unlimited seats 1', 'another user''s waiting has no effect');
SELECT pg_temp.book('sam', 'given up', 'x'), pg_temp.cancel('sam', 'given up');
SELECT is(pg_temp.read('sam', 'x'), 'credits 9 seats 9', 'a booking that was cancelled');

UPDATE wallet.classes SET max_seats = 1 WHERE class_id = 'a';
SELECT is(pg_temp.read('ann', 'a', 'k', 1), 'visits 3 credits 3+10 seats 10', 'a limit that is kept');
SELECT is(
    pg_temp.read('ann', 'a', 'k', 2), 'too-many-seats visits 3 credits 3+10 seats 10',
    'a booking above the class''s seat limit'
);
UPDATE wallet.class_seats SET reserved = 1 WHERE class_id = 'a' AND environment = 'production';
SELECT is(
    pg_temp.read('ann', 'a'), 'visits 3 credits 3+10 seats 9', 'reserved seats are not available'
);
SELECT pg_temp.lesson('small', 2, NULL, 2), pg_temp.book('bob', 's1', 'small');
SELECT wallet.join_waitlist(wallet.account_for('ann'), 'production', 'small', 2, NULL, NULL);
SELECT is(
    pg_temp.read('ann', 'small'), 'waits visits 3 credits 3+10 seats 1',
    'a waiting user whose group is larger than the free seats'
);
SELECT is(pg_temp.read('pia', 'small'), 'unlimited seats 1', 'other users see the free seat');
SELECT is(pg_temp.read('ann', 'far'), 'visits 3 credits 10 seats 10', 'waiting for one class does not affect others');
SELECT pg_temp.wait('3 days');
SELECT is(pg_temp.read('ann', 'a'), 'class-closed visits 3 credits 3+10 seats 10', 'a class that begins');
SELECT pg_temp.wait('1 day');
SELECT is(pg_temp.read('ann', 'a'), 'class-closed visits 3 credits 3+10 seats 10', 'a class that has begun is closed');

CREATE FUNCTION pg_temp.read_cancel(p_user text, p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(
        ' ', CASE WHEN g.known_id IS NOT NULL THEN 'known' END, (wallet.decide_cancellation(g, wallet.now())).slug,
        CASE WHEN g.moved THEN 'moved' END, CASE WHEN g.has_waiting THEN 'waited' END,
        CASE WHEN g.returns_apart THEN 'apart' END, g.class_id, g.unit, g.amount, g.lot_amounts
    )
    FROM wallet.read_cancellations(
        pg_temp.requests(ARRAY[wallet.account_for(p_user)], '{production}', '{cancel}', ARRAY[pg_temp.id_of(p_key)]),
        NULL, 'user', wallet.now()
    ) AS g;
$$;
SELECT pg_temp.lesson('c', 12), pg_temp.lesson('d', 2), pg_temp.lesson('e', 2, NULL, 1);
SELECT pg_temp.book('ann', 'c1', 'c'), pg_temp.book('bob', 'd1', 'd'), pg_temp.book('bob', 'e1', 'e');
SELECT is(
    pg_temp.read_cancel('ann', 'c1'), 'apart c credit 12 {3,9}', 'two lots paid; the one that ends opens again'
);
SELECT is(pg_temp.read_cancel('bob', 'd1'), 'd credit 2 {2}', 'an ordinary cancellation');
SELECT is(pg_temp.read_cancel('ann', 'd1'), 'booking-not-found {}', 'another user''s booking is not found');
SELECT is(pg_temp.read_cancel('ann', 'known'), 'not-cancellable apart b credit 2 {2}', 'a class that has begun');
SELECT wallet.join_waitlist(wallet.account_for('ann'), 'production', 'e', 1, NULL, NULL);
SELECT is(pg_temp.read_cancel('bob', 'e1'), 'waited e credit 2 {2}', 'a class with waiting users');
SELECT is(pg_temp.read_cancel('bob', 'd1'), 'd credit 2 {2}', 'a scheduled class is not marked');
SELECT pg_temp.lesson('f', 2, NULL, 1), pg_temp.gift('bob', 2, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('bob', 'f1', 'f'), pg_temp.book('bob', 'f2', 'f', 1, NULL, NULL, 'sandbox');
SELECT wallet.join_waitlist(wallet.account_for('ann'), 'sandbox', 'f', 1, NULL, NULL);
SELECT is(
    pg_temp.read_cancel('bob', 'f1'), 'f credit 2 {2}', 'users waiting in the sandbox do not count'
);
UPDATE wallet.classes SET moves = 1 WHERE class_id = 'd';
SELECT is(pg_temp.read_cancel('bob', 'd1'), 'moved d credit 2 {2}', 'a moved class is marked');

-- Payment by an unlimited plan, by a spent lot, by a lot that expired later, and by a lot from another account
SELECT pg_temp.book('pia', 'p1', 'c');
SELECT is(pg_temp.read_cancel('pia', 'p1'), 'c 0 {}', 'an unlimited plan paid');
SELECT pg_temp.gift('cid', 12), pg_temp.book('cid', 'c2', 'c');
SELECT is(pg_temp.read_cancel('cid', 'c2'), 'c credit 12 {12}', 'a lot without an end, to its last credit');
SELECT pg_temp.lesson('g', 2), pg_temp.gift('dan', 3, 'credit', '4 days'), pg_temp.book('dan', 'g1', 'g');
UPDATE wallet.classes SET starts_at = starts_at + interval '9 days', ends_at = ends_at + interval '9 days'
WHERE class_id = 'g';
SELECT pg_temp.wait('4 days - 1 microsecond');
SELECT is(pg_temp.read_cancel('dan', 'g1'), 'g credit 2 {2}', 'a moment before the lot ends');
SELECT pg_temp.wait('1 microsecond');
SELECT is(
    pg_temp.read_cancel('dan', 'g1'), 'apart g credit 2 {2}', 'a lot that expires at this instant lapses on return'
);
SELECT pg_temp.lesson('i', 2), pg_temp.buy('ivy', 'i1', 'starter'), pg_temp.book('ivy', 'i2', 'i');
SELECT is(pg_temp.read_cancel('ivy', 'i2'), 'i credit 2 {2}', 'a purchase');
SELECT pg_temp.buy('ivy', 'i1', 'starter', '{"refunded_millionths": 1000000}');
SELECT is(pg_temp.read_cancel('ivy', 'i2'), 'apart i credit 2 {2}', 'refunded, what returns pays its debt');
SELECT pg_temp.lesson('h', 2), pg_temp.gift('eve', 5);
CREATE FUNCTION pg_temp.move_all(p_from text, p_to text) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.move_lots(wallet.account_for(p_from), wallet.account_for(p_to), 'production', ARRAY(
        SELECT l.lot_id FROM wallet.lots AS l WHERE l.account_id = wallet.account_for(p_from)
    ));
$$;
SELECT pg_temp.move_all('eve', 'fay'), pg_temp.book('fay', 'h1', 'h');
SELECT is(pg_temp.read_cancel('fay', 'h1'), 'h credit 2 {2}', 'a moved lot belongs to its current owner');
SELECT pg_temp.move_all('fay', 'gus');
SELECT is(pg_temp.read_cancel('fay', 'h1'), 'apart h credit 2 {2}', 'a lot that moved away belongs to another user');
SELECT pg_temp.gift('hal', 5), pg_temp.book('hal', 'h2', 'h');
SELECT pg_temp.gift('hal', 5, 'credit', NULL, 'sandbox'), pg_temp.gift('hal', 5, 'credit', NULL, 'sandbox');
SELECT is(pg_temp.read_cancel('hal', 'h2'), 'h credit 2 {2}', 'sandbox bookings belong to the sandbox');
SELECT pg_temp.wait('3 days');
SELECT is(
    pg_temp.read_cancel('hal', 'h2'), 'not-cancellable h credit 2 {2}', 'a cancellation at the start is too late'
);
SELECT * FROM finish();
ROLLBACK;
