-- wallet.archive_event: a finished message leaves the inbox and keeps its id.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
SELECT pg_temp.receive('m', pg_temp.sold('t1', '$RCAnonymousID:1'));
SELECT set_config('t.id', (pg_temp.row_of('m')).inbox_id::text, TRUE);
SELECT is(
    pg_temp.answers(wallet.archive_event(current_setting('t.id')::bigint, 'ignored', 'why', '{"id": 1}')),
    'ignored why',
    'the answer contains the outcome'
);
SELECT is_empty('SELECT FROM wallet.inbox', 'the inbox is empty');
SELECT results_eq(
    $$ SELECT d.inbox_id, d.source, d.source_event_id, d.type, d.payload, d.status, d.reason, d.attempts, d.processed_at
       FROM wallet.inbox_done AS d $$,
    $$ VALUES (current_setting('t.id')::bigint, 'revenuecat', 'm', 'NON_RENEWING_PURCHASE', '{"id": 1}'::jsonb,
       'ignored', 'why', 1, wallet.now()) $$, 'the archive keeps the message with its outcome'
);
SELECT is((wallet.archive_event(-1, 'ignored', NULL, NULL)).inbox_id, NULL, 'an unknown message is ignored');
SELECT pg_temp.receive('n', pg_temp.sold('t2', '$RCAnonymousID:1'));
SELECT is(
    pg_temp.raised(
        format('SELECT wallet.archive_event(%s, ''awaiting_user'', NULL, NULL)', (pg_temp.row_of('n')).inbox_id)
    ),
    '23514', 'a waiting message cannot be archived'
);
SELECT * FROM finish();
ROLLBACK;
