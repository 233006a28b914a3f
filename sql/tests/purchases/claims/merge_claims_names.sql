-- wallet.merge_claims: the identifiers that the remaining claim takes over from its duplicates. In every case, none of
-- them grants again (rule 12), and a subscription keeps its owner (rule 27).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.enable_store('play_store', '2020-01-01');
CREATE FUNCTION pg_temp.pack(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'starter', '{"original_transaction_id": null}' || p_more));
$$;
CREATE FUNCTION pg_temp.period(p_user text, p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy(p_user, p_id, 'plan.enthusiast', '{"original_transaction_id": null}' || p_more));
$$;

-- Each claim had a different original id
SELECT pg_temp.pack('ann', 'a1', '{"original_transaction_id": "A1"}');
SELECT pg_temp.pack('ann', NULL, '{"order_id": "a2", "original_transaction_id": "A2"}');
SELECT is(pg_temp.funds('ann'), '50 0 0 0', 'two claims of one second');
SELECT is(
    pg_temp.pack('ann', 'a1', '{"order_id": "a2"}'), 'granted 25 credit duplicate', 'both claims are one purchase'
);
SELECT is(
    pg_temp.pack('ann', i.id, jsonb_build_object('original_transaction_id', i.original)),
    'granted 25 credit duplicate', i.what
) FROM (VALUES
    ('a3', 'A1', 'restored under the original id that the first had'),
    ('a4', 'A2', 'and under the one that the second had')
) AS i (id, original, what);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'the purchase grants once');

-- The second claim had the original id, and was bought a second later
SELECT pg_temp.pack('bob', NULL, '{"order_id": "b1"}'), pg_temp.wait('1 second');
SELECT pg_temp.pack('bob', 'b2', '{"original_transaction_id": "B"}');
SELECT is(pg_temp.pack('bob', 'b2', '{"order_id": "b1"}'), 'granted 25 credit duplicate', 'a second apart');
SELECT is(
    pg_temp.pack('bob', 'b3', '{"original_transaction_id": "B"}'), 'granted 25 credit duplicate',
    'a purchase in the later second does not grant again'
);
SELECT is(pg_temp.funds('bob'), '25 0 0 0', 'the purchase grants once');

-- Both claims are line items, and only the second has the original id
SELECT pg_temp.pack('cid', 'c1', '{"line_item_id": "c3"}');
SELECT pg_temp.pack('cid', NULL, '{"order_id": "c2", "line_item_id": "c4", "original_transaction_id": "C"}');
SELECT is(pg_temp.pack('cid', 'c1', '{"order_id": "c2"}'), 'granted 25 credit duplicate', 'two lines');
SELECT is(
    pg_temp.pack('cid', NULL,
        '{"original_transaction_id": "C", "line_item_id": "c4", "purchased_at": "2029-01-01T00:00:00Z"}'),
    'granted 25 credit duplicate', 'the second one''s line is known'
);
SELECT is(pg_temp.funds('cid'), '25 0 0 0', 'a duplicate line item does not grant again');

-- A duplicate that has only its original id and line item
SELECT pg_temp.pack('dan', 'd1');
SELECT pg_temp.pack(NULL, NULL, '{"original_transaction_id": "D", "line_item_id": "d2"}');
SELECT is(
    pg_temp.pack('dan', 'd1', '{"original_transaction_id": "D", "line_item_id": "d2"}'),
    'granted 25 credit duplicate', 'a line item without an owner is merged into an owned purchase'
);
SELECT is(
    pg_temp.pack('dan', NULL,
        '{"original_transaction_id": "D", "line_item_id": "d2", "purchased_at": "2029-01-01T00:00:00Z"}'),
    'granted 25 credit duplicate', 'the merged claim stays one purchase'
);

-- A subscription's next period goes to the owner of the previous one, by the original id of a duplicate
CREATE FUNCTION pg_temp.renewed(p_user text, p_id text, p_more jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_said text;
BEGIN
    PERFORM pg_temp.wait('30 days');
    v_said := pg_temp.period(NULL, p_id, p_more);
    RETURN v_said || ', ' || pg_temp.funds(p_user);
END;
$$;
SELECT pg_temp.period('eve', 'e1');
SELECT pg_temp.period(NULL, NULL, '{"order_id": "e2"}');
SELECT pg_temp.period(NULL, 'e3', '{"original_transaction_id": "E"}');
SELECT is(
    pg_temp.period(NULL, 'e1', '{"order_id": "e2", "original_transaction_id": "E"}'),
    'granted 10 visit duplicate', 'three claims, the last of which has the original id'
);
SELECT is(
    pg_temp.renewed('eve', 'e4', '{"original_transaction_id": "E"}'), 'granted 10 visit, 0 15 0 0',
    'the next period belongs to the owner, and the last one rolls over'
);
SELECT pg_temp.period('fay', 'f1');
SELECT pg_temp.period(NULL, NULL, '{"order_id": "f2", "original_transaction_id": "F", "line_item_id": "f3"}');
SELECT pg_temp.period(NULL, 'f1', '{"order_id": "f2"}');
SELECT is(
    pg_temp.renewed('fay', 'f4', '{"original_transaction_id": "F", "line_item_id": "f5"}'),
    'granted 10 visit, 0 15 0 0', 'a line known to the duplicate alone'
);
SELECT pg_temp.period('gil', 'g1', '{"line_item_id": "g3"}');
SELECT pg_temp.period(NULL, NULL, '{"order_id": "g2", "original_transaction_id": "G"}');
SELECT pg_temp.period(NULL, 'g1', '{"order_id": "g2"}');
SELECT is(
    pg_temp.renewed('gil', 'g4', '{"original_transaction_id": "G", "line_item_id": "g5"}'),
    'granted 10 visit, 0 15 0 0', 'a line known to the first alone'
);
SELECT pg_temp.period('hal', NULL, '{"store": "play_store", "order_id": "h1"}'), pg_temp.wait('1 second');
SELECT pg_temp.period(NULL, 'h2', '{"store": "play_store", "original_transaction_id": "H"}');
SELECT pg_temp.period(NULL, 'h2', '{"store": "play_store", "order_id": "h1"}');
SELECT is(
    pg_temp.renewed('hal', NULL, '{"store": "play_store", "order_id": "h3", "original_transaction_id": "H"}'),
    'granted 10 visit, 0 15 0 0', 'Google Play may report a different date'
);

-- Two of the claims had an original id: the older claim's counts, even if it was reported again since
SELECT pg_temp.by_index(FALSE);
SELECT pg_temp.period('ida', 'i1');
SELECT pg_temp.period(NULL, NULL, '{"order_id": "i2", "original_transaction_id": "I"}');
SELECT pg_temp.period(NULL, 'i3', '{"original_transaction_id": "J"}');
SELECT pg_temp.period(NULL, NULL, '{"order_id": "i2", "original_transaction_id": "I"}');
SELECT is(
    pg_temp.period(NULL, 'i1', '{"order_id": "i2", "original_transaction_id": "J"}'),
    'granted 10 visit duplicate', 'one period under two original ids'
);
SELECT is(
    pg_temp.renewed('ida', 'i4', '{"original_transaction_id": "I"}'), 'granted 10 visit, 0 15 0 0',
    'the period belongs to the subscription that was reported first'
);
SELECT pg_temp.by_index(TRUE);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
