-- wallet.admin_update_inbox: UPDATE admin.webhook_inbox replays a message.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.sets(p_id text, p_what text DEFAULT $$ status = 'new' $$, p_role text DEFAULT 'wallet_admin')
RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.raised(
        format('UPDATE admin.webhook_inbox SET %s WHERE source_event_id = %L', p_what, p_id), p_role
    );
$$;
SELECT pg_temp.receive('done', pg_temp.sold('t1', 'ann'));
SELECT pg_temp.receive('awaiting_user', pg_temp.sold('t2', '$RCAnonymousID:1'));
SELECT pg_temp.receive('ignored', pg_temp.message('[]', NULL, '{"ignored": "test"}'));
SELECT pg_temp.receive('failed', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}'));
SELECT wallet.fail_event((pg_temp.row_of('failed')).inbox_id, 'unavailable', NULL) FROM generate_series(1, 20);
SELECT wallet.quarantine_event('revenuecat', 'raw', 'x', '"?"', 'unreadable');
SELECT is(pg_temp.sets(s.id), 'nothing', s.id || ' is replayed')
FROM (VALUES ('awaiting_user'), ('ignored'), ('failed'), ('raw')) AS s (id);
SELECT set_eq(
    'SELECT d.source_event_id FROM wallet.due_events(10) AS d',
    $$ VALUES ('awaiting_user'), ('ignored'), ('failed'), ('raw') $$, 'replayed messages are due at once'
);
SELECT matches(pg_temp.stored('failed'), '^new unavailable 0 ', 'attempts start from zero');
SELECT is((pg_temp.row_of('ignored')).processed_at, NULL, 'the message is not finished');
SELECT is(pg_temp.sets('failed'), 'nothing', 'a repeated replay is accepted');
SELECT is(pg_temp.sets('done'), 'WL409 message-already-processed', 'an applied message is not replayed');
SELECT is(
    pg_temp.sets(s.id, s.what), 'WL422 invalid-status', s.what || ' of ' || s.id
) FROM (VALUES
    ('awaiting_user', $$ status = 'processed' $$), ('done', $$ status = 'ignored' $$), ('done', $$ status = NULL $$)
) AS s (id, what);
SELECT is(
    pg_temp.sets('awaiting_user', $$ status = 'new', attempts = 3 $$), '42501', 'administrators may set only the status'
);
SELECT is(
    pg_temp.sets('awaiting_user', $$ status = 'new', attempts = 3 $$, NULL), 'WL422 column-not-editable',
    'a role with more rights may set only the status, too'
);
SELECT is(pg_temp.sets('awaiting_user', p_role => 'wallet_auditor'), '42501', 'auditors replay nothing');
SELECT wallet.account_for('$RCAnonymousID:1');
SELECT is(
    pg_temp.answers(wallet.process_event((pg_temp.row_of('awaiting_user')).inbox_id, NULL)), 'processed',
    'the worker applies it'
);
SELECT is(pg_temp.funds('$RCAnonymousID:1'), '25 0 0 0', 'once');
SELECT * FROM finish();
ROLLBACK;
