-- wallet.write_policy, wallet.hold_policy and admin.policies: policies and the classes that name them.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.put(p_definition jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.operator_act(''put-policy'', %L, ''olga'', ''reason'', NULL)',
        jsonb_build_object('policy_id', 'p', 'definition', p_definition)
    ));
$$;
CREATE FUNCTION pg_temp.class(p_class_id text, p_policy_id text, p_ahead interval DEFAULT '3 days') RETURNS text
LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'SELECT wallet.put_class(%L, %L, %L, %L, 5, 10, NULL, 30, ''olga'', NULL, p_policy_id => %L)', p_class_id,
        p_class_id, wallet.now() + p_ahead, wallet.now() + p_ahead + interval '1 hour', p_policy_id
    ));
$$;
CREATE FUNCTION pg_temp.terms() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', p.name, p.free_minutes_before, p.late_cancel_fee, p.late_cancel_strike, p.no_show_fee,
        p.no_show_strike, p.strikes_allowed, p.strike_days, p.block_days, p.check_in_minutes_before,
        p.check_in_minutes_after)
    FROM wallet.policy_list AS p WHERE p.policy_id = 'p';
$$;
CREATE FUNCTION pg_temp.shows(p_class_id text) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.policy_id, c.free_minutes_before, t.no_show_fee) FROM wallet.classes AS c
    LEFT JOIN wallet.policy_terms AS t ON c.terms_id = t.terms_id
    WHERE c.class_id = p_class_id;
$$;

SELECT is(pg_temp.put('{"name": "Plain"}'), 'nothing', 'a policy with defaults');
SELECT is(pg_temp.terms(), 'Plain 1440 0 f 0 f 60', 'only the price is kept');
SELECT is(pg_temp.put('{"name": "Plain", "check_in_minutes_after": null}'), 'nothing', 'the same policy again');
SELECT is((SELECT count(*) FROM wallet.policy_terms), 1::bigint, 'the terms stay');
SELECT is(pg_temp.put(d.definition), '23514', d.definition::text) FROM (VALUES
    ('{"name": ""}'::jsonb), ('{"name": "P", "no_show_fee": -1}'), ('{"name": "P", "strikes_allowed": 1}'),
    ('{"name": "P", "strikes_allowed": -1, "strike_days": 3, "block_days": 3}'),
    ('{"name": "P", "free_minutes_before": -1}'), ('{"name": "P", "check_in_minutes_before": 1441}')
) AS d (definition);
SELECT is(pg_temp.put('{}'), '23502', 'a name is required');

SELECT is(pg_temp.class('a', 'none'), 'WL404 policy-not-found', 'an unknown policy');
SELECT is(pg_temp.class('a', 'p') || pg_temp.class('past', 'p', '1 hour') || pg_temp.class('free', NULL),
    'nothingnothingnothing', 'classes with and without a policy');
SELECT is(pg_temp.shows('a'), 'p 1440 0', 'the policy sets the free cancellation');
SELECT is(pg_temp.shows('free'), '30', 'without a policy, the class has its own');
SELECT pg_temp.gift('ann', 50), pg_temp.book('ann', 'k', 'a'), pg_temp.wait('2 hours');
SELECT is(
    pg_temp.put('{"name": "Strict", "no_show_fee": 5, "late_cancel_fee": 4, "no_show_strike": true,
        "late_cancel_strike": true, "strikes_allowed": 2, "strike_days": 30, "block_days": 7, "free_minutes_before": 90,
        "check_in_minutes_before": 20, "check_in_minutes_after": 10}'), 'nothing', 'a changed policy'
);
SELECT is(pg_temp.terms(), 'Strict 90 4 t 5 t 2 30 7 20 10', 'the policy has all new values');
SELECT is(pg_temp.shows('a'), 'p 90 5', 'its classes have the new terms');
SELECT is(pg_temp.shows('past'), 'p 1440 0', 'a class that has begun keeps its terms');
SELECT is(
    (SELECT concat_ws(' ', b.free_minutes_before, t.no_show_fee) FROM wallet.bookings AS b
    INNER JOIN wallet.policy_terms AS t ON b.terms_id = t.terms_id), '1440 0', 'a booking keeps its terms'
);
SELECT is(pg_temp.class('a', NULL), 'nothing', 'the class has no policy any longer');
SELECT is(pg_temp.shows('a'), '30', 'and its own free cancellation');
SELECT pg_temp.sound();

-- psql
SELECT is(
    pg_temp.raised('INSERT INTO admin.policies (policy_id, name) VALUES (''q'', ''Quiet'')', 'wallet_admin'), 'nothing',
    'a new policy in psql'
);
SELECT is(
    pg_temp.raised('INSERT INTO admin.policies (policy_id, name) VALUES (''q'', ''Other'')', 'wallet_admin'),
    'WL409 already-exists', 'an existing one'
);
SELECT is(
    pg_temp.raised('UPDATE admin.policies SET no_show_fee = 3 WHERE policy_id = ''q''', 'wallet_admin'), 'nothing',
    'changed in psql'
);
SELECT is(
    (SELECT p.no_show_fee || p.name FROM wallet.policy_list AS p WHERE p.policy_id = 'q'), '3Quiet', 'the rest stays'
);
SELECT is(
    pg_temp.raised('UPDATE admin.policies SET policy_id = ''r'' WHERE policy_id = ''q''', 'wallet_admin'),
    'WL422 column-not-editable', 'the id is fixed'
);
SELECT is(
    pg_temp.raised('UPDATE admin.classes SET policy_id = ''q'' WHERE class_id = ''free''', 'wallet_admin'), 'nothing',
    'a class gets a policy in psql'
);
SELECT is(pg_temp.shows('free'), 'q 1440 3', 'with its terms');
SELECT is(
    (SELECT string_agg(concat_ws(' ', a.object_id, a.after), '; ' ORDER BY a.audit_id) FROM admin.audit AS a
    WHERE a.action = 'put-policy' AND a.object_id = 'q' AND a.before <> '{}'), 'q {"no_show_fee": 3}',
    'the audit has the change'
);
SELECT * FROM finish();
ROLLBACK;
