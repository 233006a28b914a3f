-- wallet.admin_update_outbox and wallet.admin_insert_outbox: UPDATE admin.outbox resends an event, INSERT sends a test
-- event.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.sets(
    p_version bigint,
    p_what text DEFAULT $$ status = 'pending' $$,
    p_role text DEFAULT 'wallet_admin'
) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(format(
        'UPDATE admin.outbox SET %s WHERE event_id = %s', p_what,
        (SELECT o.event_id FROM wallet.outbox AS o WHERE o.version = p_version)
    ), p_role);
$$;
CREATE FUNCTION pg_temp.stands(p_version bigint) RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', a.status, a.attempts, a.last_error)
    FROM admin.outbox AS a INNER JOIN wallet.outbox AS o ON a.event_id = o.event_id WHERE o.version = p_version;
$$;
SELECT pg_temp.gift('ann', i) FROM generate_series(1, 3) AS i;
SELECT pg_temp.committed(), wallet.enqueue_deliveries(10);
SELECT wallet.record_delivery(o.event_id, NULL) FROM wallet.outbox AS o WHERE o.version = 1;
SELECT wallet.record_delivery(o.event_id, 'status 500')
FROM wallet.outbox AS o CROSS JOIN generate_series(1, 10)
WHERE o.version = 2;
DELETE FROM wallet.deliveries AS d USING wallet.outbox AS o WHERE d.event_id = o.event_id AND o.version = 3;
SELECT pg_temp.gift('ann', 4);
SELECT is(pg_temp.stands(1), 'delivered 1', 'delivered');
SELECT is(pg_temp.stands(2), 'dead 10 status 500', 'given up');
SELECT is(pg_temp.stands(3), 'delivered', 'delivered long ago');
SELECT is(pg_temp.stands(4), 'waiting', 'an event that is not enqueued yet');
SELECT is((SELECT DISTINCT o.user_id FROM admin.outbox AS o), 'ann', 'the view shows the user of each event');
SELECT is(pg_temp.sets(v), 'nothing', 'sent again: ' || v) FROM generate_series(1, 4) AS v;
SELECT is(pg_temp.stands(v), 'pending 0' || CASE v WHEN 2 THEN ' status 500' ELSE '' END, 'in line: ' || v)
FROM generate_series(1, 4) AS v;
SELECT is(count(*)::integer, 4, 'due at once') FROM wallet.due_deliveries(10);
SELECT is(pg_temp.sets(1, $$ status = 'delivered' $$), 'WL422 invalid-status', 'no other status can be set');
SELECT is(pg_temp.sets(1, 'status = NULL'), 'WL422 invalid-status', 'a null status is refused');
SELECT is(pg_temp.sets(1, $$ status = 'pending', type = 'x' $$), '42501', 'no other column can be set');
SELECT is(
    pg_temp.sets(1, $$ status = 'pending', type = 'x' $$, NULL), 'WL422 column-not-editable',
    'a role with more rights cannot set it either'
);
SELECT is(pg_temp.sets(1, p_role => 'wallet_auditor'), '42501', 'auditors send nothing');
-- A test is sent by INSERT.
SELECT is(
    pg_temp.raised(format('INSERT INTO admin.outbox (%s) VALUES (%s)', t.names, t.texts), t.role), t.answer, t.texts
)
FROM (VALUES
    ('type, user_id', '''endpoint.test'', ''nobody''', 'wallet_admin', 'WL404 user-not-found'),
    ('type, user_id', '''endpoint.test'', ''ann''', 'wallet_admin', 'nothing'),
    ('type, user_id, environment', '''endpoint.test'', ''ann'', ''sandbox''', 'wallet_admin', 'nothing'),
    ('type, user_id', '''credits.granted'', ''ann''', 'wallet_admin', 'WL422 column-not-editable'),
    ('type, user_id, details', '''endpoint.test'', ''ann'', ''{}''', 'wallet_admin', 'WL422 column-not-editable'),
    ('type, user_id', '''endpoint.test'', ''ann''', 'wallet_auditor', '42501')
) AS t (names, texts, role, answer);
SELECT results_eq(
    $$ SELECT o.user_id, o.environment::text, o.status FROM admin.outbox AS o
        WHERE o.type = 'endpoint.test' ORDER BY o.event_id $$,
    $$ VALUES ('ann', 'production', 'waiting'), ('ann', 'sandbox', 'waiting') $$, 'tests wait for the endpoint'
);
SELECT is(
    (SELECT count(*)::integer FROM admin.audit AS a WHERE a.action = 'send-test-event' AND a.user_id = 'ann'), 2,
    'the tests are recorded in the audit'
);
SELECT * FROM finish();
ROLLBACK;
