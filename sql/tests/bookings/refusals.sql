-- wallet.decide_booking, wallet.read_bookings, wallet.decide_batch, wallet.seats_left: every refusal with its members,
-- in the order of the headers (rule 18, contract: Refusals).
BEGIN;
\ir ../support/books.sql
\ir ../support/waitlist.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.refused(p_outcome wallet.booking_outcome) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', p_outcome.status, p_outcome.slug, nullif(p_outcome.detail - 'offers' - 'booking_id', '{}'));
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('soon', 20, NULL, 10, '1 hour'), pg_temp.lesson('full', 20, NULL, 2);
SELECT pg_temp.lesson('visits', NULL, 1), pg_temp.gift('ann', 100), pg_temp.gift('bob', 100), pg_temp.gift('cid', 15);

SELECT is(pg_temp.refused(pg_temp.book('ann', 'k', 'nowhere')), '404 class-not-found', 'an unknown class');
SELECT pg_temp.wait('1 hour - 1 microsecond');
SELECT is(
    pg_temp.answer(pg_temp.ask('quote', 'ann', 'k', 'soon')), '200 20 credit', 'a class can be booked until it begins'
);
SELECT pg_temp.wait('1 microsecond');
SELECT is(pg_temp.refused(pg_temp.book('ann', 'k', 'soon')), '409 class-closed', 'a class is closed from its start');
UPDATE wallet.classes SET status = 'cancelled' WHERE class_id = 'full';
SELECT is(pg_temp.refused(pg_temp.book('ann', 'k', 'full')), '409 class-closed', 'a cancelled class is closed');
UPDATE wallet.classes SET status = 'scheduled' WHERE class_id = 'full';
UPDATE wallet.accounts SET blocked_at = wallet.now() WHERE account_id = wallet.account_for('cid');
SELECT is(pg_temp.refused(pg_temp.book('cid', 'k', 'a')), '403 account-blocked', 'a blocked account');
UPDATE wallet.accounts SET blocked_at = NULL;
SELECT pg_temp.book('ann', 'first', 'full');
SELECT is(
    pg_temp.refused(pg_temp.book('ann', 'k', 'full')), '409 already-booked',
    'one active booking per user and class (rule 19)'
);
SELECT is(
    (pg_temp.book('ann', 'k', 'full')).detail, jsonb_build_object('booking_id', pg_temp.id_of('first')), 'naming it'
);
SELECT is(
    pg_temp.refused(pg_temp.book('bob', 'k', 'full', 2)), '409 class-full {"seats_left": 1, "seats_requested": 2}',
    'more seats than are left'
);
SELECT is(pg_temp.answer(pg_temp.book('bob', 'k', 'full')), '201 booked 20 credit', 'the last seat is sold');
SELECT is(
    pg_temp.refused(pg_temp.book('cid', 'k', 'full')), '409 class-full {"seats_left": 0, "seats_requested": 1}',
    'a full class is refused regardless of the balance'
);
SELECT is(
    pg_temp.refused(pg_temp.book('bob', 'v', 'visits')),
    '402 insufficient-credits {"unit": "visit", "shortages": [{"unit": "visit", "needed": 1, "required": 1, '
        '"available": 0}], "credits_needed": 1, "credits_required": 1, "credits_available": 0}',
    'visits are missing where only visits pay'
);
SELECT is(
    pg_temp.refused(pg_temp.book('bob', 'v', 'visits', 1, 'credits')),
    '409 payment-not-accepted {"pay_with": "credits"}', 'a unit that the class does not take'
);
SELECT is(
    pg_temp.refused(pg_temp.book('bob', 'v', 'a', 1, NULL, 19)), '409 price-changed {"amount": 20, "max_amount": 19}',
    'a price above the limit that the client saw'
);
SELECT is(
    pg_temp.answer(pg_temp.ask('quote', 'bob', 'v', 'a', 1, NULL, 20)), '200 20 credit', 'the limit itself is fine'
);
SELECT is(
    pg_temp.refused(pg_temp.book('bob', 'v', 'a', 1, NULL, -1)), '409 price-changed {"amount": 20, "max_amount": -1}',
    'a negative limit is below every price'
);
SELECT is(
    pg_temp.refused(pg_temp.book('cid', 'k', 'a')),
    '402 insufficient-credits {"unit": "credit", "shortages": [{"unit": "credit", "needed": 5, "required": 20, '
        '"available": 15}], "credits_needed": 5, "credits_required": 20, "credits_available": 15}',
    'credits are missing'
);
SELECT is(
    pg_temp.refused(pg_temp.book('cid', 'k', 'a', 100)), '409 class-full {"seats_left": 10, "seats_requested": 100}',
    'a hundred seats'
);
-- Until the cutoff, only a promotion can book seats that are reserved for the waitlist
SELECT pg_temp.lesson('held', 10, NULL, 3), pg_temp.book('ann', 'h', 'held', 3);
SELECT is(
    pg_temp.join('bob', 'held', 4), 'WL409 class-full {"seats_left": 0, "seats_requested": 4}',
    'a waitlist refuses more seats than the class has'
);
SELECT is(pg_temp.join('bob', 'held', 3), 'new', 'a user may wait for all seats of the class');
SELECT is(
    pg_temp.join('bob', 'a'), 'WL409 seats-available {"seats_left": 10}', 'free seats must be booked, not waited for'
);
SELECT pg_temp.cancel('ann', 'h');
SELECT is(
    pg_temp.refused(pg_temp.book('cid', 'h', 'held')), '409 class-full {"seats_left": 0, "seats_requested": 1}',
    'a seat that is reserved for others'
);
CREATE FUNCTION pg_temp.planned(p_seats integer, p_promoted boolean) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', nullif(o.status, 200), o.slug, o.detail ->> 'seats_left', o.amount)
    FROM wallet.decide_batch(
        pg_temp.requests(
            ARRAY[wallet.account_for('bob')], '{production}', '{quote}', '{}', '{}', '{held}', ARRAY[p_seats]
        ), CASE WHEN p_promoted THEN 'wallet' ELSE 'user' END, TRUE
    ) AS o;
$$;
SELECT is(
    (SELECT string_agg(pg_temp.planned(i.seats, i.promoted), ', ' ORDER BY i.n) FROM (
        VALUES (1, 1, FALSE), (2, 1, TRUE), (3, 3, TRUE), (4, 4, TRUE)) AS i (n, seats, promoted)),
    '409 class-full 0, 10, 30, 409 class-full 3', 'a promotion may use reserved seats, but no more than are free'
);
UPDATE wallet.classes SET waitlist_cutoff_minutes = 3 * 1440 WHERE class_id = 'held';
SELECT is(pg_temp.planned(3, FALSE), '30', 'after the cutoff all users may book reserved seats');
UPDATE wallet.classes SET max_seats = 2 WHERE class_id = 'held';
SELECT is(
    pg_temp.refused(pg_temp.book('cid', 'h', 'held', 4)), '409 too-many-seats {"max_seats": 2}',
    'a limit of the class is checked before its seats'
);
SELECT is(pg_temp.planned(3, TRUE), '409 too-many-seats', 'the seat limit applies to promotions, too');
UPDATE wallet.classes SET opens_minutes_before = 1 WHERE class_id = 'held';
SELECT is(
    pg_temp.refused(pg_temp.book('cid', 'h', 'held')), '409 booking-not-open {"opens_at": "2030-01-04T12:59:00Z"}',
    'a class that cannot be booked yet'
);
SELECT is(pg_temp.join('bob', 'held', 3), 'known', 'a new limit does not affect users who wait already');
UPDATE wallet.products SET days_ahead = 1 WHERE product_id LIKE '%subscription.enthusiast';
SELECT pg_temp.buy('dan', 'plan', 'plan.enthusiast');
SELECT is(
    pg_temp.refused(pg_temp.book('dan', 'd', 'a')),
    '409 too-far-ahead {"opens_at": "2030-01-03T12:00:00Z", "days_ahead": 1}', 'a limit of the plan'
);
SELECT pg_temp.lesson('dear', 1000000, NULL, 10, '20 hours');
SELECT is(
    pg_temp.answer(pg_temp.book('dan', 'd', 'dear')), '402 insufficient-credits',
    'a plan pays nothing itself, unless it is unlimited'
);
SELECT is(
    pg_temp.answer(pg_temp.book('cid', 'k', 'a', 1, NULL, 19)), '402 insufficient-credits',
    'a price that the user cannot pay is not compared with the limit that the client saw'
);
SELECT pg_temp.gift('eve', 5, 'visit', '10 days');
UPDATE wallet.lots AS l SET frozen_from = wallet.now(), frozen_until = wallet.now() + interval '7 days'
WHERE l.account_id = wallet.account_for('eve');
SELECT is(pg_temp.answer(pg_temp.book('eve', 'e', 'visits')), '409 lot-frozen', 'a lot that is frozen on that day');
SELECT is(pg_temp.funds('cid'), '15 0 0 0', 'refusals move nothing');
SELECT is_empty(
    $$ SELECT FROM wallet.bookings WHERE account_id = wallet.account_for('cid') $$, 'refusals leave no booking'
);
SELECT pg_temp.sound('lot_terms');
SELECT * FROM finish();
ROLLBACK;
