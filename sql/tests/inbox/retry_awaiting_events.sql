-- wallet.retry_awaiting_events: messages that wait for a user are retried when the user is first seen (rule 31).
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.received(p_id text, p_user text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.receive(p_id, pg_temp.message(jsonb_build_array(
        pg_temp.fact(p_id, 'starter') || jsonb_build_object('app_account_token', wallet.app_account_token(p_user))
    )));
$$;

SELECT is(pg_temp.received('1', 'ann'), 'awaiting_user unknown-user', 'a purchase of a user never seen waits');
SELECT pg_temp.received('2', 'bob');
UPDATE wallet.inbox SET
    next_attempt_at = wallet.now() + interval '1 day', payload = replace(
        payload::text, wallet.app_account_token('ann')::text, upper(wallet.app_account_token('ann')::text)
    )::jsonb;
SELECT wallet.account_for('dan');
SELECT is(pg_temp.stored('1'), 'awaiting_user unknown-user 1 in 86400', 'the message does not wait for this user');
SELECT wallet.account_for('ann');
SELECT is(
    pg_temp.stored('1'),
    'awaiting_user unknown-user 1 in 0',
    'the message is due when the user is seen, in either spelling'
);
SELECT is(pg_temp.stored('2'), 'awaiting_user unknown-user 1 in 86400', 'messages for other users still wait');
SELECT pg_temp.received('3', 'eve');
UPDATE wallet.inbox SET next_attempt_at = wallet.now() - interval '1 hour' WHERE source_event_id = '3';
SELECT wallet.account_for('eve');
SELECT is(pg_temp.stored('3'), 'awaiting_user unknown-user 1 in -3600', 'a due message needs no retry');
SELECT is(
    pg_temp.answers(wallet.process_event((pg_temp.row_of('1')).inbox_id, NULL)), 'processed', 'the message is applied'
);

-- A user who only reads is admitted by a token
SELECT wallet.admit_token('cid', wallet.now(), FALSE);
SELECT is_empty(
    $$ SELECT FROM wallet.identities AS i WHERE i.user_id = 'cid' $$, 'admitting a token creates no account'
);
SELECT wallet.admit_token('bob', wallet.now(), FALSE);
SELECT is(pg_temp.stored('2'), 'awaiting_user unknown-user 1 in 0', 'a token of the awaited user is sufficient');
SELECT * FROM finish();
ROLLBACK;
