-- wallet.fail_event: a store that does not respond.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.fail(p_id text, p_reason text, p_seconds integer DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answers(wallet.fail_event((pg_temp.row_of(p_id)).inbox_id, p_reason, p_seconds));
$$;
SELECT pg_temp.receive('q', pg_temp.message('[]', NULL, '{"question": {"kind": "product", "purchase_token": "p"}}'));
SELECT is(pg_temp.fail('q', 'unavailable'), 'failed unavailable', 'the store does not answer');
SELECT matches(pg_temp.stored('q'), '^failed unavailable 1 in [45]$', 'the request is retried by the schedule');
SELECT is(
    pg_temp.fail('q', 'rate-limited', 900), 'failed rate-limited', 'the request is retried at the store''s Retry-After'
);
SELECT is(pg_temp.stored('q'), 'failed rate-limited 2 in 900', 'so');
SELECT is((pg_temp.row_of('q')).payload -> 'question' ->> 'purchase_token', 'p', 'the question stays');
SELECT is(pg_temp.fail('q', repeat('x', 300)), 'failed ' || repeat('x', 200), 'a reason is short');
SELECT pg_temp.fail('q', 'unavailable') FROM generate_series(1, 17);
SELECT matches(pg_temp.stored('q'), '^quarantined unavailable 20 in ', 'after 20 attempts the message is quarantined');
SELECT is(
    pg_temp.answers(wallet.fail_event((pg_temp.row_of('q')).inbox_id, 'open', 15, FALSE)), 'quarantined open',
    'a store that is left alone'
);
SELECT matches(pg_temp.stored('q'), '^quarantined open 20 in (3[0-9]|40)$', 'costs no attempt');
SELECT is(
    pg_temp.answers(wallet.process_event((pg_temp.row_of('q')).inbox_id, pg_temp.sold('t', 'ann'))), 'processed',
    'a late answer is applied'
);
SELECT is(pg_temp.fail('q', 'unavailable'), 'processed duplicate', 'a finished message cannot fail');
SELECT is(
    pg_temp.raised('SELECT wallet.fail_event(-1, ''x'', NULL)'), 'WL404 message-not-found', 'an unknown message'
);
SELECT * FROM finish();
ROLLBACK;
