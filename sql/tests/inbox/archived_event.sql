-- wallet.archived_event: the outcome of a finished message.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
SELECT pg_temp.receive('done', pg_temp.sold('t1', 'ann'));
SELECT pg_temp.receive('awaiting_user', pg_temp.sold('t2', '$RCAnonymousID:1'));
SELECT is(
    pg_temp.answers(wallet.archived_event(NULL, 'revenuecat', 'done')), 'processed duplicate',
    'the outcome by the sender''s id'
);
SELECT is(
    pg_temp.answers(wallet.archived_event((pg_temp.row_of('done')).inbox_id, NULL, NULL)), 'processed duplicate',
    'the outcome by the message''s id'
);
SELECT is((wallet.archived_event(n.id, n.source, n.name)).inbox_id, NULL, n.description) FROM (VALUES
    (NULL::bigint, 'app_store', 'done', 'another sender''s'), (NULL, 'revenuecat', 'awaiting_user', 'one that waits'),
    ((pg_temp.row_of('awaiting_user')).inbox_id, NULL, NULL, 'one that waits, by its number'), (-1, NULL, NULL, 'none')
) AS n (id, source, name, description);
SELECT * FROM finish();
ROLLBACK;
