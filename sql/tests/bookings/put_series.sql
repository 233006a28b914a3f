-- wallet.put_series and wallet.cancel_series: weekly series of classes, changes of all following classes, exceptions,
-- holidays and both changes of the clocks.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- Tuesday, 2030-01-01
CREATE FUNCTION pg_temp.definition(p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object(
        'title', 'Vinyasa Flow', 'weekdays', '["wednesday", "monday"]'::jsonb, 'start_time', '18:30', 'minutes', 60,
        'time_zone', 'Europe/Berlin', 'capacity', 10, 'price_credits', 20, 'from_date', '2030-01-01', 'create_days_ahead', 14
    ) || p_more;
$$;
CREATE FUNCTION pg_temp.act(p_action text, p_target jsonb, p_reference text DEFAULT NULL,
    p_dry_run boolean DEFAULT FALSE)
RETURNS jsonb LANGUAGE sql AS $$
    SELECT a.after FROM wallet.operator_act(p_action, p_target, 'olga', 'timetable', p_reference, p_dry_run) AS a;
$$;
CREATE FUNCTION pg_temp.put(p_id text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.act('put-series', jsonb_build_object('series_id', p_id, 'definition', pg_temp.definition(p_more)));
$$;
CREATE FUNCTION pg_temp.refused(p_action text, p_target jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format('SELECT pg_temp.act(%L, %L)', p_action, p_target));
$$;
-- The dates of the scheduled classes of a series, as local times.
CREATE FUNCTION pg_temp.dates(p_id text, p_zone text DEFAULT 'Europe/Berlin') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(to_char(c.starts_at AT TIME ZONE p_zone, 'MM-DD HH24:MI'), ', ' ORDER BY c.starts_at)
    FROM wallet.classes AS c WHERE c.series_id = p_id AND c.status = 'scheduled';
$$;
CREATE FUNCTION pg_temp.counts(p_after jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ',
        'created', p_after ->> 'created', 'changed', p_after ->> 'changed', 'moved', p_after ->> 'moved', 'kept',
        p_after ->> 'kept', 'cancelled', p_after ->> 'cancelled', 'bookings', p_after ->> 'bookings', 'credits',
        p_after ->> 'credits', 'visits', p_after ->> 'visits', 'waiting', p_after ->> 'waiting');
$$;

-- A new series
SELECT is(
    pg_temp.act('put-series', jsonb_build_object('definition', pg_temp.definition()), NULL, TRUE) ->> 'created', '4',
    'the preview counts the classes'
);
SELECT is_empty('SELECT FROM wallet.series', 'the preview creates nothing');
SELECT is(
    pg_temp.act('put-series', jsonb_build_object('definition', pg_temp.definition()), 'r1') ->> 'series_id',
    'vinyasa-flow', 'the id is made from the title'
);
SELECT is(
    pg_temp.dates('vinyasa-flow'), '01-02 18:30, 01-07 18:30, 01-09 18:30, 01-14 18:30',
    'the classes of the next 14 days'
);
SELECT is(
    (SELECT string_agg(c.class_id, ' ' ORDER BY c.starts_at) FROM wallet.classes AS c
        WHERE c.series_id = 'vinyasa-flow'),
    'vinyasa-flow-2030-01-02 vinyasa-flow-2030-01-07 vinyasa-flow-2030-01-09 vinyasa-flow-2030-01-14',
    'the classes have ids that people can read'
);
SELECT is(
    pg_temp.act('put-series', jsonb_build_object('definition', pg_temp.definition()), 'r1') ->> 'created', '4',
    'a replay returns the first result'
);
SELECT is(
    pg_temp.act('put-series', jsonb_build_object('definition', pg_temp.definition())) ->> 'series_id', 'vinyasa-flow-2',
    'another series of the same title gets another id'
);
SELECT is(
    pg_temp.refused('put-series', jsonb_build_object(
        'series_id', 'vinyasa-flow', 'is_new', TRUE, 'definition', pg_temp.definition()
    )), 'WL409 series-exists {"series_id": "vinyasa-flow", "class_title": "Vinyasa Flow"}',
    'a new series under an existing id is refused'
);
SELECT is(
    (SELECT string_agg(r.action || ' ' || r.object_id, ', ' ORDER BY r.audit_id) FROM wallet.audit AS r),
    'put-series vinyasa-flow, put-series vinyasa-flow-2', 'created classes have no audit rows of their own'
);
SELECT pg_temp.act('cancel-series', '{"series_id": "vinyasa-flow-2"}');
SELECT is(pg_temp.dates('vinyasa-flow-2'), NULL, 'the series was cancelled');

-- The worker creates the next classes
SELECT is(wallet.extend_series(100), 0, 'no class is due');
SELECT pg_temp.wait('7 days');
SELECT is(wallet.extend_series(1), 1, 'at most one class is created');
SELECT is(wallet.extend_series(100), 1, 'the remaining class is created');
SELECT is(wallet.extend_series(100), 0, 'nothing is left');
SELECT is(
    pg_temp.dates('vinyasa-flow'), '01-02 18:30, 01-07 18:30, 01-09 18:30, 01-14 18:30, 01-16 18:30, 01-21 18:30',
    'a week later, there are two more classes'
);

-- A change of all following classes
SELECT pg_temp.gift('ann', 1000), pg_temp.gift('bob', 1000), pg_temp.gift('ann', 100, 'credit', NULL, 'sandbox');
SELECT pg_temp.book('ann', 'a14', 'vinyasa-flow-2030-01-14'), pg_temp.book('ann', 'a16', 'vinyasa-flow-2030-01-16'),
    pg_temp.book('bob', 'b16', 'vinyasa-flow-2030-01-16', 2),
    pg_temp.book('ann', 's16', 'vinyasa-flow-2030-01-16', 1, NULL, NULL, 'sandbox');
SELECT wallet.put_class(
    'vinyasa-flow-2030-01-21', 'With a guest', '2030-01-21 17:30+00', '2030-01-21 19:30+00', 30, 40, NULL, 1440, 'olga',
    NULL
);
SELECT is(
    pg_temp.counts(pg_temp.put('vinyasa-flow', '{"from_date": "2030-01-14", "start_time": "19:00",
        "price_credits": 25}')),
    'created 0 changed 2 moved 2 kept 1 cancelled 0 bookings 0 credits 0 visits 0 waiting 0',
    'two classes change, both with bookings; a class that was changed on its own is kept'
);
SELECT is(
    pg_temp.dates('vinyasa-flow'), '01-02 18:30, 01-07 18:30, 01-09 18:30, 01-14 19:00, 01-16 19:00, 01-21 18:30',
    'the classes before the date are not changed'
);
SELECT is(wallet.settle_classes(100), 1, 'the users of the first moved class are notified');
SELECT is(wallet.settle_classes(100), 3, 'and those of the second');
SELECT is(
    pg_temp.answer(pg_temp.cancel('ann', 'a14')), '200 cancelled 20 credit returned 20',
    'a booking of a moved class returns its own price'
);
SELECT is(
    pg_temp.answer(pg_temp.book('ann', 'a14b', 'vinyasa-flow-2030-01-14')), '201 booked 25 credit',
    'the new price applies to later bookings'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.audit AS r WHERE r.action = 'put-class' AND r.object_id LIKE 'vinyasa%'), 3,
    'each changed class has an audit row'
);
SELECT is(
    pg_temp.counts(pg_temp.put('vinyasa-flow', '{"from_date": "2030-01-14", "start_time": "19:00",
        "price_credits": 25}')),
    'created 0 changed 0 moved 0 kept 1 cancelled 0 bookings 0 credits 0 visits 0 waiting 0',
    'the same change again changes nothing'
);

-- Other weekdays: the classes on the old ones are cancelled, with everything that their bookings paid
CREATE FUNCTION pg_temp.fridays(p_from text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.put('vinyasa-flow', jsonb_build_object(
        'from_date', p_from, 'start_time', '19:00', 'price_credits', 25, 'weekdays', '["monday", "friday"]'::jsonb
    ) || p_more);
$$;
INSERT INTO wallet.waitlist (class_id, environment, account_id, seats, joined_at)
VALUES ('vinyasa-flow-2030-01-16', 'production', wallet.account_for('cid'), 1, wallet.now());
SELECT is(
    pg_temp.counts(pg_temp.act('put-series', jsonb_build_object(
        'series_id', 'vinyasa-flow', 'definition', pg_temp.definition(
            '{"from_date": "2030-01-14", "start_time": "19:00", "price_credits": 25, "weekdays": ["monday", "friday"]}'
        )
    ), NULL, TRUE)),
    'created 1 changed 0 moved 0 kept 1 cancelled 1 bookings 3 credits 80 visits 0 waiting 1',
    'the preview counts what returns, in both environments'
);
SELECT is(
    pg_temp.counts(pg_temp.fridays('2030-01-14')),
    'created 1 changed 0 moved 0 kept 1 cancelled 1 bookings 3 credits 80 visits 0 waiting 1', 'and so does the change'
);
SELECT is(
    pg_temp.dates('vinyasa-flow'), '01-02 18:30, 01-07 18:30, 01-09 18:30, 01-14 19:00, 01-18 19:00, 01-21 18:30',
    'Wednesday is cancelled and Friday added'
);
SELECT results_eq(
    $$ SELECT r.user_id, r.environment::text, r.seats, r.amount, r.returned FROM admin.roster AS r
       WHERE r.class_id = 'vinyasa-flow-2030-01-16' ORDER BY r.user_id, r.environment $$,
    $$ VALUES ('ann', 'production', 1, 20::bigint, NULL::bigint), ('ann', 'sandbox', 1, 20, NULL),
              ('bob', 'production', 2, 40, NULL) $$, 'the roster of the cancelled class has its bookings'
);
SELECT pg_temp.cancel('ann', 'a16'), wallet.settle_classes(100);
SELECT results_eq(
    $$ SELECT r.user_id, r.environment::text, r.seats, r.amount, r.returned FROM admin.roster AS r
       WHERE r.class_id = 'vinyasa-flow-2030-01-16' ORDER BY r.user_id, r.environment $$,
    $$ VALUES ('ann', 'production', 1, 20::bigint, 20::bigint), ('ann', 'sandbox', 1, 20, 20),
              ('bob', 'production', 2, 40, 40) $$, 'and afterwards what was returned'
);
SELECT pg_temp.put('vinyasa-flow', '{"from_date": "2030-01-14", "start_time": "19:00", "price_credits": 25}');
SELECT is(
    (SELECT string_agg(c.class_id || ' ' || c.status, ', ' ORDER BY c.class_id) FROM wallet.classes AS c
    WHERE c.series_id = 'vinyasa-flow' AND c.class_id LIKE '%-16%'),
    'vinyasa-flow-2030-01-16 cancelled, vinyasa-flow-2030-01-16-2 scheduled',
    'the weekday can return; the new class has another id'
);

-- Exceptions, and a class that an operator cancelled on its own
SELECT wallet.cancel_class('vinyasa-flow-2030-01-16-2', 'ill', 'olga', NULL);
SELECT is(
    pg_temp.counts(pg_temp.put('vinyasa-flow',
        '{"from_date": "2030-01-20", "start_time": "19:00", "price_credits": 25, "exceptions": ["2030-01-14"]}')),
    'created 0 changed 0 moved 0 kept 1 cancelled 1 bookings 1 credits 25 visits 0 waiting 0',
    'an exception cancels its class, even before from_date'
);
SELECT is(
    pg_temp.dates('vinyasa-flow'), '01-02 18:30, 01-07 18:30, 01-09 18:30, 01-21 18:30',
    'a class that was cancelled on its own is not created again'
);
SELECT pg_temp.put('vinyasa-flow', '{"from_date": "2030-01-20", "start_time": "19:00", "price_credits": 25}');
SELECT is(
    pg_temp.dates('vinyasa-flow'), '01-02 18:30, 01-07 18:30, 01-09 18:30, 01-14 19:00, 01-21 18:30',
    'without the exception, the class is created again'
);

-- Refusals
SELECT pg_temp.book('bob', 'b21', 'vinyasa-flow-2030-01-14-2', 3);
SELECT is(pg_temp.refused('put-series', jsonb_build_object(
    'series_id', 'vinyasa-flow', 'definition', pg_temp.definition(i.more)
)), i.state, i.what)
FROM (VALUES
    ('{"from_date": "2030-01-10", "capacity": 2}'::jsonb,
        'WL409 capacity-below-sold {"capacity": 2, "class_id": "vinyasa-flow-2030-01-14-2", "seats_sold": 3}',
        'a class has more bookings'),
    ('{"from_date": "2030-01-07"}', 'WL422 class-in-the-past', 'a date in the past'),
    ('{"from_date": null}', '23502', 'no date'),
    ('{"from_date": "2031-01-20"}', 'WL422 series-empty', 'more than a year ahead'),
    ('{"from_date": "2030-01-10", "ends_on": "2030-01-10"}', 'WL422 series-empty', 'no class before the end'),
    ('{"from_date": "2030-01-10", "weekdays": []}', 'WL422 series-empty', 'no weekday'),
    ('{"from_date": "2030-01-10", "weekdays": ["someday"]}', '23514', 'an unknown weekday'),
    ('{"from_date": "2030-01-10", "minutes": 0}', '23514', 'no length'),
    ('{"from_date": "2030-01-10", "minutes": 1441}', '23514', 'too long'),
    ('{"from_date": "2030-01-10", "time_zone": "XYZ3"}', '23514', 'a POSIX time zone'),
    ('{"from_date": "2030-01-10", "time_zone": "Europe/Atlantis"}', '22023', 'an unknown time zone'),
    ('{"from_date": "2030-01-10", "create_days_ahead": 367}', '23514', 'too far ahead'),
    ('{"from_date": "2030-01-10", "price_credits": 0}', '23514', 'a price of 0'),
    ('{"from_date": "2030-01-10", "price_credits": null}', '23514', 'no price'),
    ('{"from_date": "2030-01-10", "title": ""}', '23514', 'no title'),
    ('{"from_date": "2030-01-10", "capacity": 100001}', '23514', 'too many seats'),
    ('{"from_date": "2030-01-10", "exceptions": [null]}', '23514', 'an exception without a date')
) AS i (more, state, what);
SELECT is(
    pg_temp.refused('put-series', jsonb_build_object('series_id', 'a b', 'definition', pg_temp.definition(
        '{"from_date": "2030-01-10"}'
    ))), '23514', 'an id with a space'
);
SELECT is(pg_temp.refused('cancel-series', '{"series_id": "none"}'), 'WL404 series-not-found', 'an unknown series');
SELECT is(pg_temp.refused('cancel-series', '{}'), 'WL400 malformed-request', 'a request without a series');
SELECT is(
    pg_temp.raised($$ SELECT wallet.operator_act('put-series', '{"definition": {}}', 'olga', 'r', NULL, FALSE,
        'support') $$),
    'WL403 right-missing {"needs": "operator", "right": "support"}', 'support cannot change series'
);

-- A series that ends, and continues later
SELECT is(
    pg_temp.counts(pg_temp.act('cancel-series', '{"series_id": "vinyasa-flow", "from_date": "2030-01-10"}')),
    'created changed 0 moved 0 kept 0 cancelled 2 bookings 1 credits 75 visits 0 waiting 0',
    'all classes from a date on are cancelled, also those that were changed on their own'
);
SELECT is(pg_temp.dates('vinyasa-flow'), '01-02 18:30, 01-07 18:30, 01-09 18:30', 'the earlier classes stay');
SELECT is(wallet.settle_classes(100), 1, 'the booking returns');
SELECT pg_temp.wait('30 days');
SELECT is(wallet.extend_series(100), 0, 'the ended series creates no classes');
SELECT is(
    pg_temp.put('vinyasa-flow', '{"from_date": "2030-02-18"}') ->> 'created', '2',
    'the series continues later, without classes between'
);
SELECT is(
    pg_temp.dates('vinyasa-flow'),
    '01-02 18:30, 01-07 18:30, 01-09 18:30, 02-18 18:30, 02-20 18:30', 'from the new date on'
);
SELECT pg_temp.act('cancel-series', '{"series_id": "vinyasa-flow"}'), wallet.settle_classes(100);
SELECT is(
    (SELECT string_agg(p.from_date || ' ' || cardinality(p.weekdays), ', ' ORDER BY p.from_date)
    FROM wallet.series_patterns AS p WHERE p.series_id = 'vinyasa-flow'),
    '2030-01-01 2, 2030-01-10 0, 2030-02-18 2', 'the patterns have the gap'
);

-- Both changes of the clocks: Berlin, 2030-03-31 and 2030-10-27; New York, 2030-03-10 and 2030-11-03
SELECT set_config('t.now', '2030-03-01 12:00:00+00', TRUE);
CREATE FUNCTION pg_temp.instants(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(
        to_char(c.starts_at, 'MM-DD HH24:MI') || ' ' || round(extract(EPOCH FROM c.ends_at - c.starts_at) / 60), ', '
        ORDER BY c.starts_at
    )
    FROM wallet.classes AS c WHERE c.series_id = p_id AND c.status = 'scheduled' AND c.starts_at > wallet.now();
$$;
SELECT pg_temp.put('spring', '{"from_date": "2030-03-24", "ends_on": "2030-04-07", "weekdays": ["sunday"],
    "create_days_ahead": 60}');
SELECT is(
    pg_temp.instants('spring'), '03-24 17:30 60, 03-31 16:30 60, 04-07 16:30 60', 'the time of day stays in spring'
);
SELECT pg_temp.put('skipped',
    '{"from_date": "2030-03-31", "ends_on": "2030-04-07", "weekdays": ["sunday"], "start_time": "02:30",
        "create_days_ahead": 60}');
SELECT is(
    pg_temp.instants('skipped'), '03-31 01:30 60, 04-07 00:30 60', 'a skipped time is an hour later on the clock'
);
SELECT pg_temp.put('night',
    '{"from_date": "2030-03-30", "ends_on": "2030-04-06", "weekdays": ["saturday"], "start_time": "23:30",
        "minutes": 240,
    "create_days_ahead": 60}');
SELECT is(
    pg_temp.instants('night'), '03-30 22:30 240, 04-06 21:30 240', 'a class across the change keeps its length'
);
SELECT pg_temp.put('ny',
    '{"from_date": "2030-03-05", "ends_on": "2030-03-12", "weekdays": ["tuesday"], "start_time": "20:00",
    "time_zone": "America/New_York"}');
SELECT is(pg_temp.instants('ny'), '03-06 01:00 60, 03-13 00:00 60', 'the weekday is that of the studio, not of UTC');
SELECT set_config('t.now', '2030-10-01 12:00:00+00', TRUE);
SELECT pg_temp.put('autumn', '{"from_date": "2030-10-20", "ends_on": "2030-11-03", "weekdays": ["sunday"],
    "create_days_ahead": 60}');
SELECT is(
    pg_temp.instants('autumn'), '10-20 16:30 60, 10-27 17:30 60, 11-03 17:30 60', 'the time of day stays in autumn'
);
SELECT pg_temp.put('twice',
    '{"from_date": "2030-10-20", "ends_on": "2030-10-27", "weekdays": ["sunday"], "start_time": "02:30",
        "create_days_ahead": 60}');
SELECT is(pg_temp.instants('twice'), '10-20 00:30 60, 10-27 01:30 60', 'a time that occurs twice is the second one');

-- Today: a class that has begun stays, one that has not begun changes
SELECT set_config('t.now', '2030-10-07 10:00:00+00', TRUE);
SELECT pg_temp.put('today', '{"from_date": "2030-10-07", "weekdays": ["monday"], "create_days_ahead": 1}');
SELECT is(pg_temp.dates('today'), '10-07 18:30', 'a class of today is created if it has not begun');
SELECT pg_temp.put('begun', '{"from_date": "2030-10-07", "weekdays": ["monday"], "create_days_ahead": 7,
    "start_time": "11:00"}');
SELECT is(pg_temp.dates('begun'), '10-14 11:00', 'a class whose start has passed is not created');
SELECT is(
    pg_temp.refused('put-series', jsonb_build_object('series_id', 'today', 'definition', pg_temp.definition(
        '{"from_date": "2030-10-07", "weekdays": ["monday"], "start_time": "11:00"}'
    ))), 'WL422 class-in-the-past', 'a class of today cannot move into the past'
);
SELECT pg_temp.wait('10 hours');
SELECT is(
    pg_temp.counts(
        pg_temp.put('today', '{"from_date": "2030-10-07", "weekdays": ["tuesday"], "create_days_ahead": 1}')
    ),
    'created 1 changed 0 moved 0 kept 0 cancelled 0 bookings 0 credits 0 visits 0 waiting 0',
        'a class that has begun stays'
);

-- Holidays
SELECT pg_temp.gift('dan', 1000), pg_temp.book('dan', 'd14', 'begun-2030-10-14');
SELECT is(
    pg_temp.act('put-holiday', '{"on_date": "2030-10-14", "name": "Columbus Day"}', 'h1', TRUE),
    '{"name": "Columbus Day", "cancelled": 1, "bookings": 1, "credits": 20, "visits": 0, "waiting": 0}',
    'the preview of a holiday counts what returns'
);
SELECT is(pg_temp.dates('begun'), '10-14 11:00', 'the preview cancels nothing');
SELECT pg_temp.act('put-holiday', '{"on_date": "2030-10-14", "name": "Columbus Day"}', 'h1');
SELECT is(pg_temp.dates('begun'), NULL, 'the class of that date is cancelled');
SELECT is(wallet.settle_classes(100), 1, 'its booking returns');
SELECT is(
    pg_temp.act('put-holiday', '{"on_date": "2030-10-14", "name": "Holiday"}') ->> 'cancelled', '0',
    'a holiday can be renamed'
);
SELECT pg_temp.wait('2 days');
SELECT wallet.extend_series(100) FROM generate_series(1, 9);
SELECT is(pg_temp.dates('begun'), NULL, 'the worker creates no class on a holiday');
SELECT pg_temp.act('remove-holiday', '{"on_date": "2030-10-14"}');
SELECT is(pg_temp.act('remove-holiday', '{"on_date": "2030-10-14"}'), '{}', 'a date without a holiday changes nothing');
SELECT wallet.extend_series(100) FROM generate_series(1, 9);
SELECT is(pg_temp.dates('begun'), '10-14 11:00', 'without the holiday, the worker creates the class');
SELECT is(pg_temp.refused('put-holiday', '{"on_date": "2030-10-14"}'), 'WL400 malformed-request',
    'a holiday without a name');
SELECT is(pg_temp.refused('put-holiday', '{"on_date": "2030-10-14", "name": ""}'), '23514', 'an empty name');

-- A class that an operator moved to another day keeps its date in the series
SELECT wallet.put_class(
    'begun-2030-10-14-2', 'Vinyasa Flow', '2030-10-16 09:00+00', '2030-10-16 10:00+00', 10, 20, NULL, 1440, 'olga', NULL
);
SELECT set_config('t.now', '2030-10-15 08:00:00+00', TRUE);
SELECT pg_temp.put('begun', '{"from_date": "2030-10-15", "weekdays": ["monday"], "create_days_ahead": 7,
    "start_time": "11:00"}');
SELECT is(pg_temp.dates('begun'), '10-16 11:00, 10-21 11:00', 'a class that was moved past its date stays');

-- Generated ids of single classes
CREATE FUNCTION pg_temp.new(p_title text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_build_object('definition', jsonb_build_object(
        'title', p_title, 'starts_at', '2030-11-01T23:30:00Z', 'ends_at', '2030-11-02T00:30:00Z', 'capacity', 5,
        'price_credits', 3
    ) || p_more);
$$;
SELECT is(pg_temp.act('put-class', pg_temp.new(i.title, i.more)) ->> 'class_id', i.id, i.what)
FROM (VALUES
    ('Crème & Brûlée', '{}'::jsonb, 'creme-brulee-2030-11-01-2330', 'accents and signs'),
    ('Crème & Brûlée', '{"time_zone": "Europe/Berlin"}', 'creme-brulee-2030-11-02-0030', 'the studio''s time'),
    ('creme brulee', '{}', 'creme-brulee-2030-11-01-2330-2', 'an id that exists'),
    ('ヨガ', '{}', 'class-2030-11-01-2330', 'a title without Latin letters'),
    (repeat('long ', 30), '{}', 'long-long-long-long-long-long-long-l-2030-11-01-2330', 'a long title')
) AS i (title, more, id, what);
SELECT is(
    pg_temp.refused('put-class', pg_temp.new('N') || '{"class_id": "creme-brulee-2030-11-01-2330", "is_new": true}'),
    'WL409 class-exists {"class_id": "creme-brulee-2030-11-01-2330", "starts_at": "2030-11-01T23:30:00Z", '
    '"class_title": "Crème & Brûlée"}', 'a new class under an existing id is refused'
);
SELECT is(
    pg_temp.act('put-class', pg_temp.new('N') || '{"class_id": "creme-brulee-2030-11-01-2330"}'), '{"title": "N"}',
    'without is_new, the class is changed'
);
SELECT is(
    pg_temp.act('put-class', pg_temp.new('S', '{"series_id": "today",
        "series_date": "2030-11-01"}') || '{"class_id": "s"}')
    -> 'series_id', NULL, 'a class cannot be put into a series'
);

-- Administrators
SELECT set_config('wallet.reason', 'timetable', TRUE);
CREATE FUNCTION pg_temp.sql(p_statement text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(p_statement, 'wallet_admin');
$$;
SELECT is(pg_temp.sql($$
    INSERT INTO admin.series (series_id, title, weekdays, start_time, minutes, time_zone, from_date, capacity,
        price_visits)
    VALUES ('pilates', 'Pilates', '{thursday}', '07:00', 45, 'Europe/Berlin', '2030-10-17', 8, 1)
$$), 'nothing', 'a new series');
SELECT results_eq(
    $$ SELECT s.classes_ahead, s.next_starts_at, s.create_days_ahead, s.free_minutes_before FROM admin.series AS s
       WHERE s.series_id = 'pilates' $$,
    $$ VALUES (13, '2030-10-17 05:00+00'::timestamptz, 92, 1440) $$, 'with its classes and defaults'
);
SELECT is(pg_temp.sql($$
    INSERT INTO admin.series (series_id, title, weekdays, start_time, minutes, time_zone, from_date, capacity,
        price_visits)
    VALUES ('pilates', 'Pilates', '{thursday}', '07:00', 45, 'Europe/Berlin', '2030-10-17', 8, 1)
$$), 'WL409 series-exists {"series_id": "pilates", "class_title": "Pilates"}', 'an existing id');
SELECT pg_temp.wait('4 days');
SELECT is(pg_temp.sql($$ UPDATE admin.series SET capacity = 9 WHERE series_id = 'pilates' $$), 'nothing',
    'from today on');
SELECT is(
    pg_temp.sql($$ UPDATE admin.series SET start_time = '08:00', from_date = '2030-12-01'
        WHERE series_id = 'pilates' $$),
    'nothing', 'from another date on'
);
SELECT is(
    (SELECT string_agg(DISTINCT to_char(c.starts_at AT TIME ZONE 'Europe/Berlin', 'HH24:MI') || ' ' || s.capacity, ', ')
    FROM wallet.classes AS c INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id
    WHERE c.series_id = 'pilates'), '07:00 8, 07:00 9, 08:00 9', 'past classes keep their values'
);
SELECT is(
    pg_temp.sql($$ UPDATE admin.series SET classes_ahead = 0 WHERE series_id = 'pilates' $$),
    'WL422 column-not-editable', 'a column about the classes'
);
SELECT is(
    pg_temp.sql($$ UPDATE admin.series SET ends_on = '2030-12-05', from_date = '2030-12-01'
        WHERE series_id = 'pilates' $$),
    'nothing', 'an end'
);
SELECT is(
    (SELECT max(c.series_date) FROM wallet.classes AS c WHERE c.series_id = 'pilates' AND c.status = 'scheduled'),
    '2030-12-05'::date, 'cancels the later classes'
);
SELECT is(
    pg_temp.sql($$ UPDATE admin.series SET ends_on = wallet.now()::date - 1 WHERE series_id = 'today' $$), 'nothing',
    'an end before the next class'
);
SELECT is(
    (SELECT count(*)::integer FROM wallet.classes AS c
    WHERE c.series_id = 'today' AND c.status = 'scheduled' AND c.starts_at > wallet.now()), 0, 'cancels all classes'
);
SELECT is(pg_temp.sql($$ INSERT INTO admin.holidays VALUES ('2030-12-05', 'Sinterklaas') $$), 'nothing', 'a holiday');
SELECT is(pg_temp.sql($$ DELETE FROM admin.holidays WHERE on_date = '2030-12-05' $$), 'nothing', 'and its removal');
SELECT is(
    pg_temp.sql($$ INSERT INTO admin.classes (class_id, title, starts_at, ends_at, capacity, price_credits)
        VALUES ('s', 'S', '2031-01-01', '2031-01-02', 1, 1) $$),
    'WL409 class-exists {"class_id": "s", "starts_at": "2030-11-01T23:30:00Z", "class_title": "S"}',
    'a new class under an existing id is refused in SQL'
);
CREATE FUNCTION pg_temp.times(p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT to_char(c.starts_at, 'MM-DD HH24:MI') || ' ' || to_char(c.ends_at, 'MM-DD HH24:MI')
    FROM wallet.classes AS c WHERE c.class_id = p_class_id;
$$;
SELECT is(
    pg_temp.sql($$ INSERT INTO admin.classes (title, starts_at, minutes, capacity, price_credits)
        VALUES ('Length', '2031-01-01 10:00+00', 75, 1, 1) $$), 'nothing', 'a class without an id, with a length'
);
SELECT is(pg_temp.times('length-2031-01-01-1000'), '01-01 10:00 01-01 11:15', 'has an id and an end');
SELECT is(
    pg_temp.sql($$ UPDATE admin.classes SET starts_at = '2031-01-02 10:00+00'
        WHERE class_id = 'length-2031-01-01-1000' $$),
    'nothing', 'another start'
);
SELECT is(pg_temp.times('length-2031-01-01-1000'), '01-02 10:00 01-02 11:15', 'keeps the length');
SELECT is(
    pg_temp.sql($$ UPDATE admin.classes SET minutes = 30 WHERE class_id = 'length-2031-01-01-1000' $$), 'nothing',
    'another length'
);
SELECT is(pg_temp.times('length-2031-01-01-1000'), '01-02 10:00 01-02 10:30', 'changes the end');
SELECT is(
    pg_temp.sql($$ INSERT INTO admin.classes (title, starts_at, minutes, capacity, price_credits)
        VALUES ('Length', '2031-01-01 10:00+00', 75, 1.5, 1) $$), '23514', 'half a seat'
);
SELECT is(
    pg_temp.sql($$ UPDATE admin.classes SET series_id = 'pilates' WHERE class_id = 's' $$), 'WL422 column-not-editable',
    'the series of a class cannot be set'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
