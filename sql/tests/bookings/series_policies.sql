-- wallet.put_series with a policy: its classes get the terms of the policy, as single classes do. Also the default time
-- zone of a series, and the rosters of its classes.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
-- Tuesday, 2030-01-01
CREATE FUNCTION pg_temp.put(p_id text, p_more jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT coalesce((
        SELECT concat_ws(' ', 'created', a.after ->> 'created', 'changed', a.after ->> 'changed', 'kept',
            a.after ->> 'kept')
        FROM wallet.operator_act('put-series', jsonb_build_object('series_id', p_id, 'definition', jsonb_build_object(
            'title', 'Flow', 'weekdays', '["wednesday"]'::jsonb, 'start_time', '10:00', 'minutes', 60,
            'capacity', 5, 'price_credits', 20, 'from_date', '2030-01-02', 'create_days_ahead', 14
        ) || p_more), 'olga', 'timetable', NULL) AS a
    ), 'nothing');
$$;
CREATE FUNCTION pg_temp.policy(p_definition jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.operator_act(''put-policy'', %L, ''olga'', ''reason'', NULL)',
        jsonb_build_object('policy_id', 'p', 'definition', p_definition)
    ));
$$;
-- The distinct terms of the classes of a series that have not begun.
CREATE FUNCTION pg_temp.terms(p_id text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(DISTINCT concat_ws(' ', c.policy_id, c.free_minutes_before, t.no_show_fee), ', ')
    FROM wallet.classes AS c LEFT JOIN wallet.policy_terms AS t ON c.terms_id = t.terms_id
    WHERE c.series_id = p_id AND c.status = 'scheduled' AND c.starts_at > wallet.now();
$$;

SELECT is(
    pg_temp.raised($$ SELECT pg_temp.put('flow', '{"policy_id": "none"}') $$), 'WL404 policy-not-found',
    'an unknown policy'
);
SELECT is_empty('SELECT FROM wallet.series', 'creates no series');
SELECT is(pg_temp.policy('{"name": "Plain", "free_minutes_before": 90, "no_show_fee": 3}'), 'nothing', 'a policy');
SELECT is(
    pg_temp.put('flow', '{"policy_id": "p", "free_minutes_before": 30}'), 'created 2 changed 0 kept 0',
    'a series with the policy'
);
SELECT is(pg_temp.terms('flow'), 'p 90 3', 'the classes have the terms of the policy');
SELECT is(
    (SELECT concat_ws(' ', s.policy_id, s.free_minutes_before) FROM admin.series AS s), 'p 90',
    'the series shows the policy and its free cancellation'
);
SELECT is(
    pg_temp.put('flow', '{"policy_id": "p", "price_credits": 25}'), 'created 0 changed 2 kept 0',
    'no class counts as changed on its own'
);
SELECT is(
    pg_temp.policy('{"name": "Strict", "free_minutes_before": 120, "no_show_fee": 5}'), 'nothing', 'a changed policy'
);
SELECT is(pg_temp.terms('flow'), 'p 120 5', 'the classes have the new terms');
SELECT is(
    pg_temp.put('flow', '{"policy_id": "p", "price_credits": 25}'), 'created 0 changed 0 kept 0',
    'the classes still fit the series'
);
SELECT pg_temp.wait('7 days');
SELECT is(wallet.extend_series(100), 1, 'the worker creates the next class');
SELECT is(pg_temp.terms('flow'), 'p 120 5', 'with the current terms');
SELECT is(
    pg_temp.raised($$ UPDATE admin.series SET policy_id = NULL, free_minutes_before = 60 WHERE series_id = 'flow' $$),
    'nothing', 'the series without the policy'
);
SELECT is(pg_temp.terms('flow'), '60', 'its classes have no policy');
SELECT is(
    pg_temp.raised($$ UPDATE admin.series SET policy_id = 'p' WHERE series_id = 'flow' $$), 'nothing',
    'the series with the policy again'
);
SELECT is(pg_temp.terms('flow'), 'p 120 5', 'its classes have the terms of the policy');

-- The studio's time zone
SELECT is((SELECT s.time_zone FROM admin.series AS s), 'UTC', 'the default time zone is the studio''s');
SELECT wallet.set_studio_time_zone('Europe/Berlin');
SELECT is(pg_temp.put('berlin', '{"from_date": "2030-01-09"}'), 'created 2 changed 0 kept 0', 'a new series');
SELECT is(
    (SELECT s.time_zone || ' ' || to_char(s.next_starts_at AT TIME ZONE 'UTC', 'HH24:MI') FROM admin.series AS s
    WHERE s.series_id = 'berlin'), 'Europe/Berlin 09:00', 'has the new time zone of the studio'
);
SELECT is(
    pg_temp.raised($$ INSERT INTO admin.classes (title, starts_at, minutes, capacity, price_credits)
        VALUES ('Late', '2031-01-01 23:30+00', 60, 1, 1) $$), 'nothing', 'a class without an id'
);
SELECT is(
    (SELECT c.class_id FROM admin.classes AS c WHERE c.title = 'Late'), 'late-2031-01-02-0030',
    'gets one from the start in the studio''s time zone'
);

-- Rosters show names, attendance and returned amounts, before and after a cancellation.
CREATE FUNCTION pg_temp.roster() RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', r.user_id, r.user_name, r.amount, r.attendance, r.checked_in, r.fee, r.strike,
        coalesce(r.returned::text, '-')), ', ' ORDER BY r.user_id)
    FROM admin.roster AS r WHERE r.series_id = 'berlin';
$$;
SELECT pg_temp.gift('ann', 100), pg_temp.gift('bob', 100);
UPDATE admin.users SET name = 'Ann Marie', reason = 'known' WHERE user_id = 'ann';
SELECT pg_temp.book('ann', 'a', 'berlin-2030-01-16'), pg_temp.book('bob', 'b', 'berlin-2030-01-16');
SELECT is(
    pg_temp.roster(), 'ann Ann Marie 20 unmarked f 0 f -, bob 20 unmarked f 0 f -', 'active bookings'
);
SELECT wallet.operator_act('cancel-series', '{"series_id": "berlin"}', 'olga', 'closed', NULL);
SELECT is(wallet.settle_classes(100), 2, 'the series is cancelled');
SELECT is(
    pg_temp.roster(), 'ann Ann Marie 20 unmarked f 0 f 20, bob 20 unmarked f 0 f 20', 'bookings of a cancelled class'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
