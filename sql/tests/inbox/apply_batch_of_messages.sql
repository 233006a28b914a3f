-- wallet.apply_batch with messages: each is applied as if it arrived alone, in order of arrival.
BEGIN;
\ir ../support/books.sql
\ir ../support/messages.sql
SELECT * FROM no_plan();
-- Items as 'place: result' or 'place: state message'.
CREATE FUNCTION pg_temp.shown(p_answers wallet.store_answer[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT array_agg(
        a.item || ': ' || CASE WHEN a.state IS NULL THEN pg_temp.answers(a.event) ELSE concat_ws(' ', a.state, a.message) END
        ORDER BY a.item
    ) FROM unnest(p_answers) AS a;
$$;
CREATE FUNCTION pg_temp.taken(p_ids text[], p_events jsonb[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT pg_temp.shown(array_agg(a)) FROM wallet.apply_batch(ARRAY(
        SELECT ROW(NULL, NULL, NULL, NULL, NULL, NULL, 'revenuecat', i.id, 'x', i.event)::wallet.store_request
        FROM unnest(p_ids, p_events) WITH ORDINALITY AS i (id, event, place) ORDER BY i.place
    )) AS a;
$$;
CREATE FUNCTION pg_temp.tried(p_ids text[], p_events jsonb[]) RETURNS text[] LANGUAGE sql AS $$
    SELECT pg_temp.shown(array_agg(a)) FROM wallet.apply_batch(ARRAY(
        SELECT ROW(
            NULL, NULL, NULL, NULL, NULL, (pg_temp.row_of(i.id)).inbox_id, NULL, NULL, NULL, i.event
        )::wallet.store_request
        FROM unnest(p_ids, p_events) WITH ORDINALITY AS i (id, event, place) ORDER BY i.place
    )) AS a;
$$;

SELECT is(
    pg_temp.taken(ARRAY['1', '2', '1', '3', '4', '5'], ARRAY[
        pg_temp.sold('t1', 'ann'), pg_temp.sold('t1', 'ann'), pg_temp.sold('t1', 'ann'), pg_temp.sold('t2', 'bob'),
        pg_temp.message('[]', NULL, '{"ignored": "test"}'), pg_temp.sold('t3', '$RCAnonymousID:1')
    ]),
    ARRAY[
        '1: processed', '2: processed', '3: processed duplicate', '4: processed', '5: ignored test',
        '6: awaiting_user unknown-user'
    ],
    'each message is answered in its place, and a repetition is a duplicate'
);
SELECT is(
    ARRAY[pg_temp.funds('ann'), pg_temp.funds('bob')], ARRAY['25 0 0 0', '25 0 0 0'], 'the purchase is granted once'
);

-- A purchase and its refund in one group
SELECT is(
    pg_temp.taken(ARRAY['6', '7'], ARRAY[
        pg_temp.sold('t4', 'ann'),
        pg_temp.message(jsonb_build_array(
            pg_temp.fact('t4', 'starter', '{"refunded_millionths": 1000000, "source_at": "2031-01-01T00:00:00Z"}')
        ), 'ann')
    ]),
    ARRAY['1: processed', '2: processed'], 'the purchase and its refund are applied in order'
);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the purchase is granted and refunded');

-- No message affects another
SELECT is(
    pg_temp.taken(ARRAY['8', '', '9', '10'], ARRAY[
        pg_temp.sold('t5', 'ann'), pg_temp.sold('t6', 'ann'),
        pg_temp.message('[{"store": "app_store"}]', 'ann'), pg_temp.sold('t7', 'bob')
    ]),
    ARRAY['1: processed', '2: WL422 message-incomplete', '3: failed WL422 purchase-data-incomplete', '4: processed'],
    'a malformed message and one that cannot be applied'
);
SELECT matches(pg_temp.stored('9'), '^failed WL422 purchase-data-incomplete 1 in [45]$', 'the latter is tried again');
SELECT is(ARRAY[pg_temp.funds('ann'), pg_temp.funds('bob')], ARRAY['50 0 0 0', '50 0 0 0'], 'the others count');

-- A lock timeout or a lost race does not count as a failure of the message
SELECT pg_temp.failing('55P03');
SELECT is(
    pg_temp.taken(ARRAY['11', '12', '13', '11', '8'], ARRAY[
        pg_temp.sold('t8', 'ann'), pg_temp.sold('t1', 'ann'), pg_temp.sold('t8', 'bob'),
        pg_temp.message('[]', NULL, '{"ignored": "test"}'), pg_temp.sold('t5', 'ann')
    ]),
    ARRAY['1: 55P03 left over', '2: processed', '3: 55P03', '4: 55P03', '5: processed duplicate'],
    'the message is left to the caller, with later ones about the same purchase or with the same id'
);
SELECT is(pg_temp.row_of('11'), NULL, 'the message is not stored, because its sender got no answer');
SELECT pg_temp.failing('40P01');
SELECT is(pg_temp.taken(ARRAY['11'], ARRAY[pg_temp.sold('t8', 'ann')]), ARRAY['1: 55P03 left over'], 'a deadlock, too');
SELECT pg_temp.failing('53100');
SELECT throws_ok(
    $$ SELECT pg_temp.taken(ARRAY['14'], ARRAY[pg_temp.sold('t9', 'ann')]) $$, '53100', NULL,
    'an error that no message caused ends the group'
);
SELECT pg_temp.failing('');

-- Stored messages
SELECT wallet.account_for('$RCAnonymousID:1');
SELECT is(
    pg_temp.tried(ARRAY['5', '9', '1', 'none'], ARRAY[NULL, pg_temp.sold('t10', 'bob'), NULL, NULL]),
    ARRAY['1: processed', '2: processed', '3: processed duplicate', '4: WL422 message-incomplete'],
    'a new attempt uses the stored messages or newly read ones'
);
SELECT is(pg_temp.funds('bob'), '75 0 0 0', 'a message that became readable is applied');
SET LOCAL lock_timeout = '2s';
SELECT pg_temp.taken(ARRAY['1'], ARRAY[pg_temp.sold('t1', 'ann')]);
SELECT is(current_setting('lock_timeout'), '2s', 'the caller''s patience is as before');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
