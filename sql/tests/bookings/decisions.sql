-- wallet.decide_batch, wallet.decide_cancellation, wallet.decide_booking, wallet.allocate_lots, wallet.post:
-- requests by waitlists, studios and ending plans, and edge cases of the answers.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.one(
    p_user text, p_key text, p_class_id text, p_promoted boolean DEFAULT FALSE, p_pay_with text DEFAULT NULL
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answer(o) FROM wallet.decide_batch(ARRAY[ROW(
        wallet.account_for(p_user), 'production', 'book', pg_temp.id_of(p_key), p_key, p_class_id, 1, p_pay_with, NULL
    )::wallet.booking_request], CASE WHEN p_promoted THEN 'wallet' ELSE 'user' END, TRUE) AS o;
$$;
CREATE FUNCTION pg_temp.cancels(p_user text, p_key text, p_by text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answer(o) || ' by ' || o.cancelled_by FROM pg_temp.cancel_by(
        wallet.account_for(p_user), 'production', pg_temp.id_of(p_key), p_by
    ) AS o;
$$;
CREATE FUNCTION pg_temp.free_until(p_key text) RETURNS text LANGUAGE sql AS $$
    SELECT to_char(b.free_until, 'DD HH24:MI') FROM wallet.bookings AS b WHERE b.booking_id = pg_temp.id_of(p_key);
$$;
SELECT pg_temp.lesson('days', 1), pg_temp.lesson('hours', 1, NULL, 10, '12 hours');
SELECT pg_temp.lesson('soon', 1, NULL, 10, '10 minutes'), pg_temp.lesson('later', 1);
SELECT pg_temp.gift('ann', 100), pg_temp.gift('bob', 100);

-- A booking from the waitlist is free to cancel for half an hour, at most until the start
SELECT pg_temp.one('ann', 'a' || c.id, c.id, TRUE), pg_temp.one('bob', 'b' || c.id, c.id)
FROM unnest(ARRAY['days', 'hours', 'soon']) AS c (id);
SELECT is(pg_temp.free_until('adays'), '03 12:00', 'a day before a class that is far off');
SELECT is(pg_temp.free_until('bdays'), '03 12:00', 'the deadline applies to all bookings of the class');
SELECT is(pg_temp.free_until('ahours'), '01 12:30', 'half an hour for a class that is near');
SELECT is(pg_temp.free_until('bhours'), '01 00:00', 'other bookings have no such extension');
SELECT is(pg_temp.free_until('asoon'), '01 12:10', 'the class itself ends it');
SELECT results_eq(
    $$ SELECT o.details, count(*) FROM wallet.outbox AS o WHERE o.type = 'booking.created' GROUP BY o.details $$,
    $$ VALUES ('{"from_waitlist": true}'::jsonb, 3::bigint), (NULL, 3) $$,
    'the event records whether a booking came from the waitlist'
);

-- Cancellation deadlines: for a user the free hour, for the wallet itself the start, for the studio none
SELECT pg_temp.wait('2 days 1 minute');
SELECT is(
    (pg_temp.cancel_by(wallet.account_for('bob'), 'production', pg_temp.id_of('bdays'), 'wallet')).returned, 1::bigint,
    'the wallet returns also late'
);
SELECT is(
    (pg_temp.cancel_by(wallet.account_for('ann'), 'production', pg_temp.id_of('adays'), 'user')).returned, 0::bigint,
    'a user has nothing back by then'
);
SELECT pg_temp.one('ann', 'alater', 'later'), pg_temp.one('bob', 'blater', 'later');
SELECT pg_temp.wait('1 day - 1 minute');
SELECT is(
    (pg_temp.cancel_by(wallet.account_for('bob'), 'production', pg_temp.id_of('blater'), 'wallet')).returned, 0::bigint,
    'after the start of the class the wallet''s cancellation returns nothing'
);
UPDATE wallet.classes SET status = 'cancelled' WHERE class_id = 'later';
SELECT is(
    (SELECT concat_ws(' ', o.status, o.returned, o.cancelled_by) FROM pg_temp.cancel_by(
        wallet.account_for('ann'), 'production', pg_temp.id_of('alater'), 'user'
    ) AS o), '200 1 studio', 'a class cancelled by the studio returns everything, in any order and at any time'
);

-- Only a cancellation by the studio reopens expired lots
SELECT pg_temp.lesson('x', 1, NULL, 10, '2 days', 0), pg_temp.lesson('y', 1, NULL, 10, '2 days', 0);
SELECT pg_temp.lesson('z', 1, NULL, 10, '2 days', 0);
SELECT pg_temp.gift('dan', 1, 'credit', '3 days'), pg_temp.gift('eve', 1, 'credit', '3 days');
SELECT pg_temp.gift('fay', 1, 'credit', '3 days');
SELECT pg_temp.one('dan', 'x', 'x'), pg_temp.one('eve', 'y', 'y'), pg_temp.one('fay', 'z', 'z');
UPDATE wallet.classes SET starts_at = starts_at + interval '9 days', ends_at = ends_at + interval '9 days'
WHERE class_id IN ('x', 'y', 'z');
UPDATE wallet.classes SET moves = moves + 1 WHERE class_id = 'y';
UPDATE wallet.bookings SET free_until = free_until + interval '9 days' WHERE booking_id = pg_temp.id_of('z');
SELECT pg_temp.wait('4 days');
SELECT pg_temp.cancels('dan', 'x', 'studio'), pg_temp.cancels('eve', 'y', 'user'), pg_temp.cancels('fay', 'z', 'user');
SELECT is(pg_temp.funds('dan'), '1 0 0 0', 'the studio cancelled: days of grace');
SELECT is(pg_temp.funds('eve'), '1 0 0 0', 'the studio moved: days of grace');
SELECT is(pg_temp.funds('fay'), '0 0 0 0', 'the user alone cancelled: what returns lapses');

-- An unlimited plan, requested explicitly
SELECT pg_temp.lesson('u', 20), pg_temp.buy('uma', 'u', 'plan.unlimited'), pg_temp.gift('uma', 50);
SELECT is(pg_temp.one('uma', 'u', 'u', FALSE, 'unlimited'), '201 booked 0', 'an unlimited plan pays if requested');
SELECT is(
    pg_temp.one('gus', 'u', 'u', FALSE, 'unlimited'), '409 payment-not-accepted',
    'an unlimited plan cannot pay without a plan'
);

-- A merged account books nothing
UPDATE wallet.accounts SET merged_into = wallet.account_for('ann') WHERE account_id = wallet.account_for('bob');
SELECT is(
    (SELECT p.slug FROM wallet.accounts AS a
    CROSS JOIN LATERAL wallet.book_batch(ARRAY[row(
        a.account_id, 'production', 'quote', NULL, NULL, 'nowhere', 1, NULL, NULL
    )::wallet.booking_request]) AS p
    WHERE a.merged_into IS NOT NULL), 'unauthenticated', 'a merged account is refused before all other checks'
);

-- allocate_lots selects open lots that are valid now and at the start of the class
SELECT pg_temp.gift('gus', 2, 'credit', '1 day'), pg_temp.gift('gus', 3, 'credit', '5 days'), pg_temp.gift('gus', 9);
SELECT pg_temp.lesson('g', 2, NULL, 10, '1 hour'), pg_temp.one('gus', 'g', 'g');
SELECT results_eq(
    $$ SELECT p.amounts, p.status FROM wallet.allocate_lots(
           wallet.account_for('gus'), 'production', 'credit', 4, wallet.now()) AS p $$,
    $$ VALUES (ARRAY[3, 1]::bigint[], NULL::integer) $$, 'a lot that is spent pays nothing, not even 0'
);
SELECT pg_temp.wait('5 days');
SELECT results_eq(
    $$ SELECT p.amounts, p.status FROM wallet.allocate_lots(
           wallet.account_for('gus'), 'production', 'credit', 4, wallet.now() - interval '2 days') AS p $$,
    $$ VALUES (ARRAY[4]::bigint[], NULL::integer) $$, 'an expired lot does not pay, even for an earlier class'
);
SELECT results_eq(
    $$ SELECT p.status, p.slug, p.detail FROM wallet.allocate_lots(
           wallet.account_for('gus'), 'production', 'credit', 10, wallet.now()) AS p $$,
    $$ VALUES (402, 'insufficient-credits',
        '{"unit": "credit", "required": 10, "available": 9, "needed": 1}'::jsonb) $$,
    'the refusal reports the shortage'
);
-- The query requests the order itself and does not rely on an index
SELECT pg_temp.gift('hal', 9), pg_temp.gift('hal', 3, 'credit', '5 days'), pg_temp.gift('hal', 2, 'credit', '9 days');
SET LOCAL enable_indexscan = off;
SET LOCAL enable_indexonlyscan = off;
SET LOCAL enable_bitmapscan = off;
DISCARD PLANS;
SELECT is(
    (SELECT p.amounts FROM wallet.allocate_lots(
        wallet.account_for('hal'), 'production', 'credit', 14, wallet.now()) AS p), ARRAY[3, 2, 9]::bigint[],
    'soonest expiry first, however the rows are found'
);
SELECT * FROM finish();
ROLLBACK;
