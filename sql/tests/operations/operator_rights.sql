-- wallet.action_rights and wallet.check_right: the role that each operator action needs; the database itself refuses
-- weaker roles.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.gift('ann', 100), pg_temp.lesson('a', 20), pg_temp.lesson('b', 20), pg_temp.book('ann', 'a', 'a');

-- The calls of each action, with %L for the role.
CREATE TEMPORARY TABLE calls AS
SELECT c.action, c.call FROM (VALUES
    ('adjust', $$SELECT wallet.operator_adjust('ann', 'production', 'credit', 5, 'r', 'because', 'adjustment', NULL,
        'op', NULL, FALSE, %L)$$),
    ('compensate-class', $$SELECT wallet.compensate('c', 'production', 'credit', 'a', NULL, 5, 'because', 'adjustment',
        NULL, 'op', FALSE, %L)$$),
    ('compensate-users', $$SELECT wallet.compensate('u', 'production', 'credit', NULL, '[{"user_id": "ann"}]', 5,
        'because', 'adjustment', NULL, 'op', FALSE, %L)$$),
    ('put-class', $$SELECT wallet.put_class('a', 'A', wallet.now() + INTERVAL '3 days',
        wallet.now() + INTERVAL '4 days', 9, 20, NULL, 0, 'op', NULL, NULL, %L)$$),
    ('cancel-class', $$SELECT wallet.cancel_class('b', 'ill', 'op', NULL, %L)$$),
    ('put-product', $$SELECT wallet.put_product('new', '{"kind": "pack", "name": "New", "unit": "credit", "amount": 5,
        "price_minor": 500, "app_store_id": "new"}', 'op', NULL, %L)$$)
) AS c (action, call)
UNION ALL
SELECT
    a.action,
    format(
        'SELECT wallet.operator_act(%L, %L, ''op'', ''because'', NULL, FALSE, ', split_part(a.action, '-in-', 1),
        a.target
    ) || '%L)'
FROM (VALUES
    ('cancel-booking', '{"user_id": "ann", "booking_id": "0cc175b9-c0f1-b6a8-31c3-99e269772661"}'),
    (
        'cancel-booking-in-full',
        '{"user_id": "ann", "booking_id": "0cc175b9-c0f1-b6a8-31c3-99e269772661", "in_full": true}'
    ),
    ('waive-cancellation', '{"user_id": "ann", "booking_id": "0cc175b9-c0f1-b6a8-31c3-99e269772661"}'),
    ('release-purchase', '{"user_id": "ann", "claim_id": -1}'), ('undo-release', '{"user_id": "ann", "claim_id": -1}'),
    (
        'freeze',
        '{"user_id": "ann", "lot_id": "0cc175b9-c0f1-b6a8-31c3-99e269772661", "from": "2030-02-01", '
        '"until": "2030-03-01"}'
    ),
    ('unfreeze', '{"user_id": "ann", "lot_id": "0cc175b9-c0f1-b6a8-31c3-99e269772661"}'),
    ('resolve-flag', '{"flag_id": -1, "resolution": "blocked"}'), ('replay-message', '{"inbox_id": -1}'),
    ('resend-event', '{"event_id": -1}'), ('set-tester', '{"user_id": "ann", "tester": true}'),
    ('put-profile', '{"user_id": "ann", "name": "Ann"}'),
    ('send-test-event', '{"user_id": "ann"}'),
    ('mark-attendance', '{"class_id": "a", "booking_ids": [], "attendance": "attended"}'),
    ('put-policy', '{"policy_id": "p", "definition": {"name": "P"}}'),
    ('cancel-series', '{"series_id": "none"}'),
    ('put-series', '{"definition": {"title": "A", "capacity": 1, "price_credits": 1}}'),
    ('put-holiday', '{"on_date": "2030-12-24", "name": "Holiday"}'), ('remove-holiday', '{"on_date": "2030-12-24"}')
) AS a (action, target)
UNION ALL
SELECT a.action, format('SELECT wallet.check_right(%L, ', a.action) || '%L)'
FROM unnest('{read,reconcile}'::text[]) AS a (action);
SELECT set_eq('SELECT action FROM calls', 'SELECT action FROM wallet.action_rights', 'every action is tried');
SELECT is(
    pg_temp.raised(format(
        'SELECT wallet.operator_act(%L, %L, ''op'', ''because'', NULL)', r.action,
        (
            SELECT jsonb_object_agg(o.member, '0cc175b9-c0f1-b6a8-31c3-99e269772661')
            FROM unnest(r.target) AS o (member) WHERE o.member <> m.member
        )
    )), 'WL400 malformed-request', r.action || ' needs ' || m.member
) FROM wallet.action_rights AS r CROSS JOIN LATERAL unnest(r.target) AS m (member);
SELECT is(
    pg_temp.raised(format('SELECT wallet.operator_act(%L, ''{}'', ''op'', ''because'', NULL)', r.action)),
    'WL400 malformed-request',
    r.action || ' needs a target, or has another function'
) FROM wallet.action_rights AS r;

-- The guide has the same list, in a table with one column per role.
\set guide `cat deploy/console.md`
SELECT set_eq(
    $$SELECT r.action, r.needs::text FROM wallet.action_rights AS r$$,
    format($$
        SELECT m.row[1], (ARRAY['viewer', 'support', 'operator', 'admin'])[
            1 + (m.row[2] !~ 'yes')::integer + (m.row[3] !~ 'yes')::integer + (m.row[4] !~ 'yes')::integer
        ] FROM regexp_matches(%L, '^\| `([a-z-]+)` \|([^|]*)\|([^|]*)\|([^|]*)\| yes \|$', 'gn') AS m (row)
    $$, :'guide'), 'the guide''s table of rights'
);

-- Returns whether a role is sufficient, and rolls the call back.
CREATE FUNCTION pg_temp.may(p_call text, p_right text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v_message text;
BEGIN
    SET LOCAL ROLE wallet_service;
    EXECUTE format(p_call, p_right);
    RAISE EXCEPTION 'done';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT;
    RETURN v_message <> 'right-missing';
END;
$$;
SELECT is(
    (SELECT string_agg(r.given, ' ' ORDER BY r.n) FROM unnest(
        '{viewer,support,operator,admin}'::text[]
    ) WITH ORDINALITY AS r (given, n) WHERE pg_temp.may(c.call, r.given)),
    e.may, c.action
)
FROM calls AS c
INNER JOIN (VALUES
    ('read', 'viewer support operator admin'), ('cancel-booking', 'support operator admin'),
    ('replay-message', 'support operator admin'), ('resend-event', 'support operator admin'),
    ('send-test-event', 'support operator admin'), ('set-tester', 'support operator admin'),
    ('put-profile', 'support operator admin'),
    ('adjust', 'operator admin'), ('freeze', 'operator admin'), ('unfreeze', 'operator admin'),
    ('compensate-class', 'operator admin'), ('compensate-users', 'operator admin'),
    ('cancel-booking-in-full', 'operator admin'),
    ('waive-cancellation', 'operator admin'), ('resolve-flag', 'operator admin'), ('put-class', 'operator admin'),
    ('cancel-class', 'operator admin'), ('reconcile', 'operator admin'), ('put-product', 'admin'),
    ('release-purchase', 'admin'), ('undo-release', 'admin')
) AS e (action, may) ON c.action = e.action;
SELECT is(pg_temp.may(c.call, NULL), FALSE, c.action || ' needs a right') FROM calls AS c;

-- A refusal names the missing role, and nothing changes.
SELECT throws_ok(
    $$SELECT wallet.check_right('adjust', 'support')$$, 'WL403', 'right-missing', 'refused by its name'
);
SELECT throws_ok(
    $$SELECT wallet.check_right('drop-tables', 'admin')$$, 'WL400', 'malformed-request', 'an unknown action is refused'
);
SELECT is(pg_temp.funds('ann'), '80 0 0 0', 'all attempts were rolled back or refused');

-- A dry run of an adjustment leaves no trace
SELECT is(
    (SELECT concat_ws(' ', a.credits, a.replayed, a.lot_id) FROM wallet.operator_adjust(
        'ann', 'production', 'credit', 20, 'dry', 'because', 'adjustment', NULL, 'op', 'k', TRUE
    ) AS a), '100 f', 'the preview shows 100 and no lot'
);
SELECT is(pg_temp.funds('ann'), '80 0 0 0', 'the balance is still 80');
SELECT is(
    (SELECT concat_ws(' ', a.credits, a.replayed, a.lot_id IS NOT NULL) FROM wallet.operator_adjust(
        'ann', 'production', 'credit', 20, 'dry', 'because', 'adjustment', NULL, 'op', 'k', dry
    ) AS a), done, 'then done, then answered again'
) FROM (VALUES (FALSE, '100 f t'), (TRUE, '100 t t'), (FALSE, '100 t t')) AS d (dry, done);
SELECT throws_ok(
    $$SELECT wallet.operator_adjust('ann', 'production', 'credit', -101, 'low', 'because', 'adjustment', NULL, 'op',
        NULL, TRUE)$$, 'WL409', 'balance-too-low', 'a dry run refuses an impossible adjustment'
);
SELECT is(
    (SELECT concat_ws(' ', a.credits, a.visits) FROM wallet.operator_adjust(
        'newcomer', 'production', 'visit', 2, 'n', 'because', 'adjustment', NULL, 'op', NULL, TRUE, p_new_user => TRUE
    ) AS a), '0 2', 'a dry run for a new user'
);
SELECT is(
    (SELECT count(*) FROM wallet.identities AS i WHERE i.user_id = 'newcomer'), 0::bigint, 'the dry run creates no user'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
