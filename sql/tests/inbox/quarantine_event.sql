-- wallet.quarantine_event: an authentic message that nobody could read is kept, once.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.park(p_id text, p_raw jsonb, p_reason text DEFAULT 'unreadable') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answers(wallet.quarantine_event('revenuecat', p_id, 'NEW_TYPE', p_raw, p_reason));
$$;
SELECT is(pg_temp.park('1', '{"a": 1}'), 'quarantined unreadable', 'it is quarantined');
SELECT is((pg_temp.row_of('1')).payload, '{"raw": {"a": 1}}', 'as it came');
SELECT is(pg_temp.stored('1'), 'quarantined unreadable 0', 'and not tried again by itself');
SELECT pg_temp.wait('10 years');
SELECT is(count(*)::integer, 0, 'ever') FROM wallet.due_events(10);
SELECT is(pg_temp.park('1', '{"a": 2}', 'other'), 'quarantined unreadable duplicate', 'again: the first one stands');
SELECT is((pg_temp.row_of('1')).payload, '{"raw": {"a": 1}}', 'unchanged');
SELECT pg_temp.receive('2', pg_temp.sold('t', 'ann'));
SELECT is(pg_temp.park('2', '{}'), 'processed duplicate', 'what is processed stays processed');
SELECT is(pg_temp.park('3', '"text"', NULL), 'quarantined unreadable', 'text that is no JSON comes as a string');
SELECT is(pg_temp.park('4', '{}', repeat('x', 300)), 'quarantined ' || repeat('x', 200), 'a reason is short');
SELECT wallet.delete_account('gone');
SELECT pg_temp.park('6', '{"event": {"aliases": ["gone"], "b": "gone"}}');
SELECT is((pg_temp.row_of('6')).payload, '{"raw": {"event": {"aliases": [], "b": "gone"}}}', 'without who is deleted');
SELECT is(pg_temp.raised($$ SELECT pg_temp.park('', '{}') $$), 'WL422 event-incomplete', 'no id');
SELECT is(pg_temp.raised($$ SELECT pg_temp.park('5', NULL) $$), 'WL422 event-incomplete', 'no text');
SELECT * FROM finish();
ROLLBACK;
