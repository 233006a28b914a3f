-- wallet.attempt_event: writes effect and status together; a failed message is rolled back alone and reported without
-- values.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.received_failing(p_state text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_says text;
BEGIN
    PERFORM pg_temp.failing(p_state);
    v_says := pg_temp.receive(p_state, pg_temp.sold('t' || p_state, 'ann'));
    PERFORM pg_temp.failing('');
    RETURN v_says;
END;
$$;
SELECT is(pg_temp.received_failing(n.state), n.says, n.name)
FROM (VALUES
    ('WL422', 'failed WL422 key (user_id)=(ann) is secret', 'an error of the wallet shows its message'),
    ('40P01', 'failed 40P01', 'a deadlock'), ('40001', 'failed 40001', 'a lost race'),
    ('55P03', 'failed 55P03', 'a lock timeout'), ('22007', 'failed 22007', 'an invalid date'),
    ('23514', 'failed 23514', 'a broken CHECK'), ('P0002', 'failed P0002', 'a missing row'),
    ('P0004', 'failed P0004', 'a broken assertion'), ('42883', 'failed 42883', 'a missing function'),
    ('21000', 'failed 21000', 'two rows for one'), ('54001', 'failed 54001', 'too deep'),
    ('0A000', 'failed 0A000', 'not supported')
) AS n (state, says, name);
SELECT is_empty(
    $$ SELECT FROM admin.webhook_inbox AS i WHERE i.reason ~ 'ann' AND i.reason !~ '^WL' $$,
    'no reason contains a value'
);
SELECT is_empty('SELECT FROM wallet.claims', 'nothing of the failed messages is recorded');
SELECT is(pg_temp.raised(format('SELECT pg_temp.received_failing(%L)', n.state)), n.state, n.name)
FROM (VALUES
    ('53100', 'an error about a full disk is raised'), ('53200', 'an error about memory is raised'),
    ('XX001', 'an error about corrupt data is raised')
) AS n (state, name);
SELECT is_empty(
    $$ SELECT FROM admin.webhook_inbox WHERE source_event_id IN ('53100', '53200', 'XX001') $$,
    'the raised errors leave no message'
);

-- The error names a constraint but not its values; a fact beyond the tables' limits violates no constraint
SELECT is(
    pg_temp.receive('q', pg_temp.message(
        jsonb_build_array(pg_temp.fact('tq', 'starter', '{"quantity": 5000}')), 'ann'
    )), 'failed WL422 purchase-data-out-of-range', 'a quantity that no claim has'
);
ALTER TABLE wallet.claims ADD CONSTRAINT claims_few CHECK (quantity < 5);
SELECT is(
    pg_temp.receive('c', pg_temp.message(
        jsonb_build_array(pg_temp.fact('tc', 'starter', '{"quantity": 5}')), 'ann'
    )), 'failed 23514 claims_few', 'the constraint that was broken'
);
ALTER TABLE wallet.claims DROP CONSTRAINT claims_few;

-- A message that already has the store's answer causes no second request
SELECT pg_temp.receive('q', pg_temp.message('[]', NULL, '{"question": {"kind": "product", "purchase_token": "p"}}'));
SELECT is(
    pg_temp.answers(wallet.attempt_event(
        (pg_temp.row_of('q')).inbox_id, pg_temp.sold('tq', 'ann', '{"question": {"kind": "product"}}'), FALSE
    )), 'new', 'unanswered it waits'
);
SELECT is(
    pg_temp.answers(wallet.attempt_event(
        (pg_temp.row_of('q')).inbox_id, pg_temp.sold('tq', 'ann', '{"question": {"kind": "product"}}'), TRUE
    )), 'processed', 'answered it is applied'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the store''s answer is applied');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
