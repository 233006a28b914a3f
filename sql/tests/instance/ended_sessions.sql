-- wallet.end_session, wallet.is_session_ended: a signed-out session is ended on every instance.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(wallet.is_session_ended('\x01'), FALSE, 'a session that was not ended continues');
SELECT wallet.end_session('\x01', clock_timestamp() + INTERVAL '1 hour') FROM generate_series(1, 2);
SELECT is(wallet.is_session_ended('\x01'), TRUE, 'an ended session stays ended, even if ended twice');
SELECT is(wallet.is_session_ended('\x02'), FALSE, 'another session continues');
UPDATE wallet.ended_sessions AS s SET ends_at = clock_timestamp() - INTERVAL '1 second';
SELECT wallet.end_session('\x02', clock_timestamp() + INTERVAL '1 hour');
SELECT is((SELECT count(*) FROM wallet.ended_sessions), 1::bigint, 'expired sessions are removed');
SELECT * FROM finish();
ROLLBACK;
