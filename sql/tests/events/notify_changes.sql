-- wallet.notify_changes: each changed wallet is notified once, or all in one notification when there are too many.
-- A notification leaves at the end of its transaction, so this test looks at the cursor and the count; the
-- service's tests listen.
BEGIN;
\ir ../support/books.sql
\ir ../support/events.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.position() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', c.xid, (SELECT o.version FROM wallet.outbox AS o WHERE o.event_id = c.event_id))
    FROM wallet.notice_cursor AS c;
$$;
CREATE FUNCTION pg_temp.at_xid(p_xid xid8) RETURNS void LANGUAGE sql AS $$
    UPDATE wallet.outbox AS o SET xid = p_xid WHERE o.xid = pg_current_xact_id();
$$;
SELECT is(wallet.notify_changes(10), 0, 'nothing to notify');
SELECT is(pg_temp.position(), '0', 'nothing moves');
SELECT pg_temp.gift('ann', 1), pg_temp.gift('ann', 2);
SELECT is(wallet.notify_changes(10), 0, 'what is not committed is not notified');
SELECT pg_temp.at_xid('5');
SELECT is(wallet.notify_changes(10), 2, 'the first run');
SELECT is(pg_temp.position(), '5 2', 'jumps to the end');
SELECT is(wallet.notify_changes(10), 0, 'once');
SELECT pg_temp.gift('ann', 3), pg_temp.gift('ann', 4), pg_temp.at_xid('7'), pg_temp.gift('ann', 5), pg_temp.at_xid('6');
SELECT is(wallet.notify_changes(2), 2, 'then as many as asked for');
SELECT is(pg_temp.position(), '7 3', 'in the order in which transactions ended');
SELECT is(wallet.notify_changes(2), 1, 'and the rest');
SELECT is(pg_temp.position(), '7 4', 'to the last');
SELECT is(wallet.notify_changes(2), 0, 'then none');
SELECT pg_temp.gift('ann', n) FROM generate_series(1, 20) AS n;
SELECT pg_temp.at_xid('8');
SELECT is(wallet.notify_changes(2), 2, 'up to ten times the limit, each is notified');
SELECT pg_temp.gift('ann', n) FROM generate_series(1, 3) AS n;
SELECT pg_temp.at_xid('9');
SELECT is(wallet.notify_changes(2), 21, 'more becomes one notification');
SELECT is(pg_temp.position(), '9 28', 'and passed over');
SELECT is(wallet.notify_changes(0), 0, 'none when asked for none');
UPDATE wallet.notice_cursor SET xid = '900000000000';
SELECT is(wallet.notify_changes(2), 0, 'a cursor from the future');
SELECT is(pg_temp.position(), '9 28', 'comes back to the end');
SELECT pg_temp.gift('ann', 1), pg_temp.at_xid('10');
SELECT is(wallet.notify_changes(2), 1, 'and goes on');
SELECT * FROM finish();
ROLLBACK;
