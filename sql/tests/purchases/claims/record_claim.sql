-- wallet.identify_claim, wallet.add_claim_identifiers and wallet.merge_claims, called by wallet.apply_fact: one
-- purchase is one claim, under any identifier (rule 12).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT wallet.enable_store('play_store', '2020-01-01'), wallet.enable_store('stripe', '2020-01-01');

-- Each single identifier leads to the same purchase
CREATE FUNCTION pg_temp.twice(p_first jsonb, p_second jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_user CONSTANT text := gen_random_uuid();
    v_said text;
BEGIN
    v_said := pg_temp.says(pg_temp.buy(v_user, NULL, 'starter', p_first));
    RETURN v_said || ', ' || pg_temp.says(pg_temp.buy(v_user, NULL, 'starter', p_second)) || ', '
        || pg_temp.funds(v_user);
END;
$$;
SELECT is(
    pg_temp.twice(i.first::jsonb, i.second::jsonb), 'granted 25 credit, granted 25 credit duplicate, 25 0 0 0',
    'the same claim: ' || i.what
) FROM (VALUES
    ('transaction id', '{"transaction_id": "a1"}', '{"transaction_id": "a1", "purchased_at": "2029-01-01T00:00:00Z"}'),
    ('original id and second of purchase, under a new transaction id',
        '{"transaction_id": "b1", "original_transaction_id": "b0", "purchased_at": "2029-01-01T00:00:07.100Z"}',
        '{"transaction_id": "b2", "original_transaction_id": "b0", "purchased_at": "2029-01-01T00:00:07.900Z"}'),
    ('original id and line item',
        '{"original_transaction_id": "c0", "line_item_id": "c1", "purchased_at": "2029-01-01T00:00:00Z"}',
        '{"original_transaction_id": "c0", "line_item_id": "c1", "purchased_at": "2029-01-02T00:00:00Z"}'),
    ('purchase token', '{"store": "play_store", "purchase_token": "d1"}',
        '{"store": "play_store", "purchase_token": "d1", "order_id": "d2"}'),
    ('order id', '{"store": "stripe", "order_id": "e1"}',
    '{"store": "stripe", "order_id": "e1", "transaction_id": "e2"}')
) AS i (what, first, second);
SELECT is(
    pg_temp.twice(i.first::jsonb, i.second::jsonb), 'granted 25 credit, granted 25 credit, 50 0 0 0',
    'another claim: ' || i.what
) FROM (VALUES
    ('original id at the next second',
        '{"transaction_id": "f1", "original_transaction_id": "f0", "purchased_at": "2029-01-01T00:00:07.999Z"}',
        '{"transaction_id": "f2", "original_transaction_id": "f0", "purchased_at": "2029-01-01T00:00:08.000Z"}'),
    ('the same id at another store', '{"transaction_id": "g1"}', '{"store": "stripe", "transaction_id": "g1"}'),
    ('another line of the same original',
        '{"original_transaction_id": "h0", "line_item_id": "h1", "purchased_at": "2029-01-01T00:00:00Z"}',
        '{"original_transaction_id": "h0", "line_item_id": "h2", "purchased_at": "2029-01-02T00:00:00Z"}')
) AS i (what, first, second);

-- No identifier is lost, in any order of the parts
SELECT is(
    pg_temp.says(pg_temp.buy('ann', 'r2', 'starter', i.more::jsonb)), i.says, i.what
) FROM (VALUES
    ('{"transaction_id": "r1", "original_transaction_id": "r0"}', 'granted 25 credit', 'a purchase'),
    ('{"transaction_id": "r2", "original_transaction_id": "r0"}', 'granted 25 credit duplicate',
    'restored under a new id'),
    ('{"transaction_id": "r2", "original_transaction_id": null}', 'granted 25 credit duplicate', 'by the new id alone'),
    ('{"transaction_id": "r2", "original_transaction_id": null, "order_id": "r3"}', 'granted 25 credit duplicate',
        'an order id in addition'),
    ('{"transaction_id": null, "original_transaction_id": null, "order_id": "r3"}', 'granted 25 credit duplicate',
        'by that order id alone'),
    ('{"transaction_id": "r1", "order_id": "r4"}', 'granted 25 credit duplicate', 'with a second order id'),
    ('{"transaction_id": "r5", "original_transaction_id": null, "order_id": "r4"}', 'granted 25 credit duplicate',
        'the second order id leads back as well'),
    ('{"transaction_id": "r5", "original_transaction_id": "r6", "purchased_at": "2029-05-05T00:00:00Z"}',
        'granted 25 credit duplicate', 'another original id'),
    ('{"transaction_id": "r7", "original_transaction_id": "r6", "purchased_at": "2029-05-05T00:00:00Z"}',
        'granted 25 credit duplicate', 'the purchase is found by that original id and second')
) AS i (more, says, what);
SELECT is(pg_temp.funds('ann'), '25 0 0 0', 'nine facts, eight identifiers, one grant');
SELECT is(
    (SELECT count(*)::integer FROM wallet.purchases WHERE account_id = wallet.account_for('ann')), 1,
    'all reports are one purchase'
);

-- Two claims turn out to be one purchase: the later grant is taken back
SELECT pg_temp.buy('bob', 'm1', 'starter', '{"original_transaction_id": null}');
SELECT pg_temp.wait('1 minute');
SELECT pg_temp.buy('cid', NULL, 'starter', '{"order_id": "m2"}');
SELECT is(pg_temp.funds('bob') || ', ' || pg_temp.funds('cid'), '25 0 0 0, 25 0 0 0', 'two claims, two grants');
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'm1', 'starter', '{"original_transaction_id": null, "order_id": "m2"}')),
    'granted 25 credit duplicate', 'a fact names both'
);
SELECT is(
    pg_temp.funds('bob') || ', ' || pg_temp.funds('cid'), '25 0 0 0, 0 0 0 0', 'the first claim grants, once'
);
SELECT is(pg_temp.story('cid'), 'grant 25, refund -25', 'the ledger shows the grant that was taken back');
SELECT is(
    pg_temp.says(pg_temp.buy('cid', NULL, 'starter', '{"order_id": "m2"}')),
    'skipped transaction-already-claimed duplicate', 'the second claim belongs to the first owner'
);
SELECT is(
    pg_temp.says(pg_temp.buy('bob', NULL, 'starter', '{"order_id": "m2"}')), 'granted 25 credit duplicate', 'whole'
);
SELECT pg_temp.sound();

-- A claim that becomes a duplicate passes on its data
SELECT pg_temp.buy('dan', 'n1', 'starter', '{"original_transaction_id": null, "refunded_millionths": null}');
SELECT is(
    pg_temp.says(pg_temp.buy(
        NULL, NULL, 'starter', '{"order_id": "n2", "quantity": 2, "refunded_millionths": 500000}'
    )), 'skipped unknown-user', 'a refund with an unknown order id'
);
SELECT is(
    pg_temp.says(pg_temp.buy(
        'dan', 'n1', 'starter', '{"original_transaction_id": null, "order_id": "n2", "refunded_millionths": null}'
    )), 'granted 50 credit duplicate', 'a fact that names both claims takes the larger quantity'
);
SELECT is(pg_temp.funds('dan'), '25 0 0 0', 'the refund counts, too');
SELECT is(pg_temp.story('dan'), 'grant 25, grant 25, refund -25', 'the entries of the ledger');

-- Three separate claims, connected by a fact with identifiers of two of them
SELECT pg_temp.buy('eve', 'x1', 'starter', '{"original_transaction_id": null, "purchased_at": "2029-02-02T00:00:00Z"}');
SELECT pg_temp.buy('eve', 'x2', 'starter', '{"original_transaction_id": "x0", "purchased_at": "2029-02-02T00:00:00Z"}');
SELECT is(pg_temp.funds('eve'), '50 0 0 0', 'two claims');
SELECT is(
    pg_temp.says(pg_temp.buy(
        'eve', 'x1', 'starter', '{"original_transaction_id": "x0", "purchased_at": "2029-03-03T00:00:00Z"}'
    )), 'granted 25 credit duplicate', 'the original id that the first lacked makes it the second'
);
SELECT is(pg_temp.funds('eve'), '25 0 0 0', 'one grant is left');
SELECT pg_temp.buy('fay', NULL, 'starter', '{"original_transaction_id": "y0", "line_item_id": "y1"}');
SELECT pg_temp.buy('fay', NULL, 'starter', '{"order_id": "y2", "line_item_id": "y1"}');
SELECT is(pg_temp.funds('fay'), '25 0 0 0', 'a line item is an identifier without its original id');

-- Gaps are filled, and existing data is not overwritten with less
SELECT pg_temp.buy('gil', 'z1', 'starter', '{"app_transaction_id": "app", "receipt_sha256": "00ff"}');
SELECT pg_temp.buy('gil', 'z1', 'starter', '{"app_transaction_id": "other", "order_id": "z2", "upgraded": true}');
SELECT results_eq(
    $$ SELECT c.app_transaction_id, c.order_id, encode(c.receipt_sha256, 'hex'), c.upgraded
       FROM wallet.claims AS c WHERE c.transaction_id = 'z1' $$,
    $$ VALUES ('app', 'z2', '00ff', TRUE) $$, 'a claim fills its gaps and keeps existing data'
);

-- Two plans that a store lists in one purchase are two subscriptions
SELECT pg_temp.buy('hal', 'v1', i.name, jsonb_build_object('purchase_products', ARRAY[
    'com.hobbyist.bookingapp.subscription.explorer', 'com.hobbyist.bookingapp.subscription.enthusiast'
])) FROM unnest(ARRAY['plan.explorer', 'plan.enthusiast']) AS i (name);
SELECT results_eq(
    $$ SELECT s.product_id, s.original_transaction_id FROM wallet.subscriptions AS s
       WHERE s.account_id = wallet.account_for('hal') ORDER BY s.subscription_id $$,
    $$ VALUES
       ('com.hobbyist.bookingapp.subscription.explorer', 'v1'),
       ('com.hobbyist.bookingapp.subscription.enthusiast', 'v1 com.hobbyist.bookingapp.subscription.enthusiast') $$,
    'each plan is a subscription, named by the purchase, the further one with its product'
);

-- Another session records the purchase after a search: the first call of the search finds nothing.
CREATE FUNCTION pg_temp.buy_late(p_search text) RETURNS text LANGUAGE plpgsql AS $x$
DECLARE
    v_said text;
BEGIN
    EXECUTE format('ALTER FUNCTION wallet.%I(wallet.claims) RENAME TO searched', p_search);
    EXECUTE format($$
        CREATE FUNCTION wallet.%I(p_fact wallet.claims) RETURNS bigint[] LANGUAGE plpgsql AS $y$
        BEGIN
            IF current_setting('t.searched', TRUE) = p_fact.transaction_id THEN
                RETURN wallet.searched(p_fact);
            END IF;
            PERFORM set_config('t.searched', p_fact.transaction_id, TRUE);
            RETURN '{}';
        END;
        $y$ $$, p_search);
    v_said := pg_temp.says(pg_temp.buy('ivy', p_search, 'starter'));
    EXECUTE format('DROP FUNCTION wallet.%I(wallet.claims)', p_search);
    EXECUTE format('ALTER FUNCTION wallet.searched(wallet.claims) RENAME TO %I', p_search);
    RETURN v_said;
END;
$x$;
SELECT pg_temp.buy('ivy', s.name, 'starter') FROM unnest(ARRAY['claims_of_purchase', 'claims_sharing']) AS s (name);
SELECT is(
    pg_temp.buy_late('claims_of_purchase'), 'granted 25 credit duplicate',
    'a purchase that is recorded between two searches is found'
);
SELECT is(
    pg_temp.buy_late('claims_sharing'), 'granted 25 credit duplicate',
    'a purchase that is recorded between the search and the insert is found'
);
SELECT is(pg_temp.funds('ivy'), '50 0 0 0', 'each of the two purchases counts once');

SELECT hasnt_column('wallet', 'claims', 'receipt', 'a receipt is never stored (rule 17)');
SELECT throws_ok(
    $$ DELETE FROM wallet.claims WHERE transaction_id = 'z1' $$, '23503', NULL, 'a granted claim is never freed'
);
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
