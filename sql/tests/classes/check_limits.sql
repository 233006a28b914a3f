-- wallet.check_limits: limits of classes and plans at their exact boundaries; an unset limit does not apply (rule 23).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.limited(
    p_class_id text, p_limits wallet.class_limits, p_ahead interval DEFAULT '10 days',
    p_length interval DEFAULT '1 hour'
) RETURNS void LANGUAGE sql AS $$
    SELECT wallet.put_class(
        p_class_id, 'Class ' || p_class_id, wallet.now() + p_ahead, wallet.now() + p_ahead + p_length, 10, 5, NULL, 60,
        'operator', NULL, p_limits
    );
$$;
-- The answer to a booking after the given wait.
CREATE FUNCTION pg_temp.says_at(
    p_wait interval, p_class_id text, p_user text DEFAULT 'ann', p_seats integer DEFAULT 1
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_now constant text := current_setting('t.now');
    v_outcome wallet.booking_outcome;
BEGIN
    PERFORM pg_temp.wait(p_wait);
    v_outcome := pg_temp.ask('quote', p_user, 'k', p_class_id, p_seats);
    PERFORM set_config('t.now', v_now, TRUE);
    RETURN concat_ws(' ', v_outcome.status, v_outcome.slug, v_outcome.detail);
END;
$$;
SELECT pg_temp.gift('ann', 1000), pg_temp.gift('bob', 1000), pg_temp.gift('cid', 1000), pg_temp.gift('dan', 1000);
SELECT pg_temp.lesson('free', 5, NULL, 200, '1000 days');
SELECT is(pg_temp.says_at('0', 'free', p_seats => 100), '200', 'a class without limits accepts any number');

-- Seats per booking
SELECT pg_temp.limited('two', '(2,,,,,)');
SELECT is(pg_temp.says_at('0', 'two', p_seats => 2), '200', 'the maximum number of seats is accepted');
SELECT is(pg_temp.says_at('0', 'two', p_seats => 3), '409 too-many-seats {"max_seats": 2}', 'one seat more is refused');
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'two', 'two', 3)), '409 too-many-seats', 'a booking is refused like its quote'
);
SELECT is((SELECT count(*)::integer FROM wallet.bookings), 0, 'the refused booking changes nothing');

-- The booking window: from one day to one hour before
SELECT pg_temp.limited('window', '(,,1440,60,,)');
SELECT is(
    pg_temp.says_at('9 days - 1 microsecond', 'window'), '409 booking-not-open {"opens_at": "2030-01-10T12:00:00Z"}',
    'a moment before it opens'
);
SELECT is(pg_temp.says_at('9 days', 'window'), '200', 'the booking window opens at its instant');
SELECT is(pg_temp.says_at('9 days 23 hours - 1 microsecond', 'window'), '200', 'a moment before it shuts');
SELECT is(
    pg_temp.says_at('9 days 23 hours', 'window'), '409 booking-closed {"closed_at": "2030-01-11T11:00:00Z"}',
    'the booking window closes at its instant'
);
SELECT is(pg_temp.says_at('10 days', 'window'), '409 class-closed', 'at its start the class is closed');
SELECT pg_temp.limited('opens', '(,,60,,,)');
SELECT pg_temp.limited('shuts', '(,,,60,,)');
SELECT is(pg_temp.says_at('10 days - 1 microsecond', 'opens'), '200', 'a window may have but a beginning');
SELECT is(pg_temp.says_at('0', 'shuts'), '200', 'a window may have only an end');

-- Days ahead
SELECT pg_temp.limited('week', '(,7,,,,)');
SELECT is(
    pg_temp.says_at('3 days - 1 microsecond', 'week'),
    '409 too-far-ahead {"opens_at": "2030-01-04T12:00:00Z", "days_ahead": 7}', 'a moment more than the days'
);
SELECT is(pg_temp.says_at('3 days', 'week'), '200', 'exactly the maximum of days is accepted');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'week', 'week')), '409 too-far-ahead', 'a booking too');
SET LOCAL timezone = 'America/New_York';
SELECT pg_temp.limited('dst', '(,7,,,,)', '70 days');
SELECT is(pg_temp.says_at('63 days', 'dst'), '200', 'a day has 24 hours in every session time zone');
SET LOCAL timezone = 'UTC';

-- By plan
UPDATE wallet.products SET days_ahead = 9 WHERE product_id LIKE '%subscription.enthusiast';
UPDATE wallet.products SET days_ahead = 8 WHERE product_id LIKE '%subscription.unlimited';
SELECT pg_temp.lesson('none', 5, NULL, 10, '10 days');
SELECT pg_temp.buy('bob', 'b1', 'plan.enthusiast');
SELECT is((SELECT s.days_ahead FROM wallet.subscription_states AS s), 9, 'a period brings its plan''s days');
SELECT is(
    pg_temp.says_at('1 day - 1 microsecond', 'week', 'bob'),
    '409 too-far-ahead {"opens_at": "2030-01-02T12:00:00Z", "days_ahead": 9}', 'a plan with more days'
);
SELECT is(pg_temp.says_at('1 day', 'week', 'bob'), '200', 'reaches further');
SELECT is(pg_temp.says_at('1 day', 'week'), pg_temp.says_at('0', 'week'), 'the plan''s holder has the same limit');
SELECT is(
    pg_temp.says_at('0', 'none', 'bob'),
    '409 too-far-ahead {"opens_at": "2030-01-02T12:00:00Z", "days_ahead": 9}',
    'the plan''s limit applies if the class has none'
);
SELECT is(
    pg_temp.answer(pg_temp.book('bob', 'far', 'none')), '409 too-far-ahead', 'the limit applies to bookings, too'
);
SELECT is(pg_temp.says_at('0', 'none', 'ann'), '200', 'the plan does not affect other users');
UPDATE wallet.products SET subscription_group = NULL WHERE product_id LIKE '%subscription.unlimited';
SELECT pg_temp.buy('bob', 'b2', 'plan.unlimited');
SELECT is(
    (SELECT count(*)::integer FROM wallet.subscription_states AS s WHERE s.has_access), 2,
    'a second plan of the same user'
);
SELECT is(
    pg_temp.says_at('0', 'none', 'bob'),
    '409 too-far-ahead {"opens_at": "2030-01-02T12:00:00Z", "days_ahead": 9}', 'the greater limit of two plans counts'
);
SELECT pg_temp.gift('flo', 1000), pg_temp.buy('flo', 'f1', 'plan.enthusiast', '{"environment": "sandbox"}');
SELECT is(
    pg_temp.says_at('1 day', 'week', 'flo'), pg_temp.says_at('1 day', 'week', 'ann'),
    'a plan of the sandbox does not extend the days in production'
);
UPDATE wallet.products SET days_ahead = 3 WHERE product_id LIKE '%subscription.enthusiast';
SELECT is(pg_temp.says_at('1 day', 'week', 'bob'), '200', 'an edited plan is not that of a period that was sold');
SELECT pg_temp.buy('cid', 'c1', 'plan.enthusiast');
SELECT is(
    pg_temp.says_at('2 days', 'week', 'cid'), pg_temp.says_at('2 days', 'week', 'ann'), 'a plan with less takes nothing'
);
SELECT pg_temp.buy('dan', 'd1', 'plan.explorer');
SELECT is(pg_temp.says_at('0', 'none', 'dan'), '200', 'a plan without a limit restricts no booking');
SELECT is(
    pg_temp.says_at('2 days', 'week', 'dan'), pg_temp.says_at('2 days', 'week', 'ann'),
    'a plan without a limit does not lift a class''s limit'
);
UPDATE wallet.subscriptions SET account_id = wallet.account_for('dan')
WHERE account_id = wallet.account_for('cid');
SELECT is(pg_temp.says_at('0', 'none', 'dan'), '200', 'a second plan without a limit lifts it');
UPDATE wallet.subscriptions SET ended = 'expired', period_end = wallet.now()
WHERE account_id = wallet.account_for('dan') AND days_ahead IS NULL;
SELECT is(
    pg_temp.says_at('0', 'none', 'dan'),
    '409 too-far-ahead {"opens_at": "2030-01-08T12:00:00Z", "days_ahead": 3}', 'an expired plan''s limit does not count'
);

-- Overlaps
SELECT pg_temp.limited('alone', '(,,,,0,)', '30 days');
SELECT pg_temp.lesson('before', 5, NULL, 10, '30 days -1 hour'), pg_temp.lesson('after', 5, NULL, 10, '30 days 1 hour');
SELECT pg_temp.lesson('into', 5, NULL, 10, '30 days -30 minutes');
SELECT pg_temp.lesson('out', 5, NULL, 10, '30 days 59 minutes');
SELECT pg_temp.book('ann', 'before', 'before'), pg_temp.book('ann', 'after', 'after');
SELECT is(pg_temp.says_at('0', 'alone'), '200', 'adjacent classes do not overlap');
SELECT pg_temp.gift('eve', 100), pg_temp.book('eve', 'into', 'into');
SELECT is(pg_temp.says_at('0', 'alone'), '200', 'other users'' bookings do not count as overlaps');
SELECT pg_temp.gift('ann', 100, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('ann', 'sandbox', 'into', 1, NULL, NULL, 'sandbox');
SELECT is(pg_temp.says_at('0', 'alone'), '200', 'bookings in the other environment do not count as overlaps');
SELECT pg_temp.book('ann', 'into', 'into');
SELECT is(
    pg_temp.says_at('0', 'alone'),
    format('409 overlapping-booking {"booking_id": "%s", "max_overlaps": 0}', pg_temp.id_of('into')),
    'one overlap too many'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'out', 'out')), '201 booked 5 credit', 'the limit applies to its own class only'
);
SELECT pg_temp.limited('alone', '(,,,,1,)', '30 days');
SELECT is(
    pg_temp.says_at('0', 'alone'),
    format('409 overlapping-booking {"booking_id": "%s", "max_overlaps": 1}', pg_temp.id_of('into')),
    'the refusal names the first of several overlaps'
);
SELECT pg_temp.lesson('sooner', 5, NULL, 10, '30 days -20 minutes');
SELECT pg_temp.gift('fay', 100), pg_temp.book('fay', 'f2', 'out'), pg_temp.book('fay', 'f1', 'sooner');
SELECT is(
    pg_temp.says_at('0', 'alone', 'fay'),
    format('409 overlapping-booking {"booking_id": "%s", "max_overlaps": 1}', pg_temp.id_of('f1')),
    'the first to begin, not to be booked'
);
SELECT is(pg_temp.answer(pg_temp.book('fay', 'f3', 'alone')), '409 overlapping-booking', 'a booking too');
SELECT pg_temp.cancel('ann', 'out');
SELECT is(pg_temp.says_at('0', 'alone'), '200', 'a cancelled booking does not count as an overlap');
SELECT pg_temp.book('ann', 'out2', 'out');
SELECT wallet.cancel_class('out', NULL, 'operator', NULL);
SELECT is(pg_temp.says_at('0', 'alone'), '200', 'a cancelled but unsettled class is no overlap');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'alone', 'alone')), '201 booked 5 credit', 'the class can be booked');
SELECT is(pg_temp.answer(pg_temp.book('ann', 'again', 'alone')), '409 already-booked', 'once');

-- Two items of one group
SELECT pg_temp.limited('x', '(,,,,0,)', '40 days');
SELECT pg_temp.limited('y', '(,,,,0,)', '40 days');
SELECT is(
    (SELECT string_agg(concat_ws(' ', o.status, o.slug), ', ' ORDER BY o.item) FROM pg_temp.batch(
        ARRAY[wallet.account_for('eve'), wallet.account_for('eve')],
        ARRAY['production', 'production']::wallet.environment[], ARRAY['book', 'book'],
        ARRAY[pg_temp.id_of('x'), pg_temp.id_of('y')], ARRAY['x', 'y'], ARRAY['x', 'y'], ARRAY[1, 1],
        ARRAY[NULL, NULL], ARRAY[NULL, NULL]::bigint[]
    ) AS o), '201, 409 overlapping-booking', 'of two overlapping bookings in one group the first is booked'
);

-- The order of refusals, and the checks before and after
SELECT pg_temp.limited('all', '(1,1,60,30,0,)');
SELECT is(pg_temp.says_at('0', 'all', p_seats => 2), '409 too-many-seats {"max_seats": 1}', 'seats come first');
SELECT matches(pg_temp.says_at('0', 'all'), '^409 booking-not-open', 'the booking window is checked next');
SELECT pg_temp.limited('full', '(1,,,,,)');
UPDATE wallet.class_seats SET capacity = 1 WHERE class_id = 'full';
SELECT pg_temp.book('eve', 'full', 'full');
SELECT is(
    pg_temp.says_at('0', 'full', p_seats => 2), '409 too-many-seats {"max_seats": 1}', 'a limit before the seats'
);
SELECT is(
    pg_temp.says_at('0', 'full'), '409 class-full {"seats_left": 0, "seats_requested": 1}',
    'the free seats are checked last'
);

-- Invalid limits
SELECT is(pg_temp.raised(format('SELECT pg_temp.limited(%L, %L)', 'bad', i.limits)), '23514',
i.limits) FROM unnest(ARRAY[
    '(0,,,,,)', '(101,,,,,)', '(,-1,,,,)', '(,3661,,,,)', '(,,-1,,,)', '(,,,-1,,)', '(,,60,60,,)', '(,,30,60,,)',
    '(,,,,-1,)', '(,,,,101,)', '(,,,,,-1)', '(,,,,,525601)'
]) AS i (limits);
SELECT pg_temp.sound('subscriptions');
SELECT * FROM finish();
ROLLBACK;
