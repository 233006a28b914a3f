-- wallet.process_event: a stored message is retried, or applied with the store's answer.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.process(p_id text, p_event jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.answers(wallet.process_event((pg_temp.row_of(p_id)).inbox_id, p_event));
$$;
SELECT pg_temp.receive('q', pg_temp.message('[]', NULL, '{"question": {"kind": "product", "purchase_token": "p"}}'));
SELECT is(pg_temp.process('q'), 'new', 'a question without an answer still waits');
SELECT is(
    pg_temp.process('q', pg_temp.sold('t1', 'ann', '{"question": {"kind": "product"}}')), 'processed',
    'the message is applied with the store''s answer'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the purchase from the answer is granted');
SELECT is(pg_temp.process('q', pg_temp.sold('t2', 'ann')), 'processed duplicate', 'once');
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'only');

SELECT pg_temp.receive('c', pg_temp.message('[]', NULL, '{"consumption_request": "t1"}'));
SELECT is(
    pg_temp.process('c', (pg_temp.row_of('c')).payload), 'processed', 'a request that was answered is done with'
);
SELECT pg_temp.receive('n', pg_temp.message('[]', NULL, '{"question": {"kind": "product"}}'));
SELECT is(
    pg_temp.process('n', pg_temp.message('[]', NULL, '{"ignored": "not-found"}')), 'ignored not-found',
    'the store does not know the purchase'
);

SELECT pg_temp.receive('u', pg_temp.sold('t3', '$RCAnonymousID:1'));
SELECT is(pg_temp.process('u'), 'awaiting_user unknown-user', 'the user is still unknown');
SELECT matches(pg_temp.stored('u'), '^awaiting_user unknown-user 2 in ([89]|10)$', 'the delay grows');
SELECT wallet.account_for('$RCAnonymousID:1');
SELECT is(pg_temp.process('u'), 'processed', 'once the user is known, the stored message is applied');
SELECT is(pg_temp.funds('$RCAnonymousID:1'), '25 0 0 0', 'the user gets the grant');

SELECT pg_temp.failing('40P01');
SELECT is(pg_temp.receive('f', pg_temp.sold('t4', 'ann')), 'failed 40P01', 'a failure');
SELECT is(pg_temp.process('f'), 'failed 40P01', 'a failed attempt');
SELECT pg_temp.failing('');
SELECT is(pg_temp.process('f'), 'processed', 'a later attempt succeeds');
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'the message is applied once');

SELECT wallet.quarantine_event('revenuecat', 'r', 'x', '"?"', 'unknown-shape');
SELECT is(pg_temp.process('r'), 'quarantined unknown-shape', 'a message that is still unreadable stays quarantined');
SELECT is(pg_temp.stored('r'), 'quarantined unknown-shape 1', 'the quarantined message is not retried');
SELECT is(pg_temp.process('r', pg_temp.sold('t5', 'ann')), 'processed', 'a message that became readable is applied');
SELECT is((pg_temp.row_of('r')).payload -> 'raw', NULL, 'its raw text is removed');
SELECT is(
    pg_temp.raised('SELECT wallet.process_event(-1, NULL)'), 'WL404 message-not-found', 'a message that is not there'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
