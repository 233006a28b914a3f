-- wallet.add_claim_identifiers: a claim stores the identifiers it lacks; a duplicate stores the surplus ones (rule 12).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 't1', 'starter', '{"original_transaction_id": null}');
CREATE FUNCTION pg_temp.named(p_id text, p_more jsonb) RETURNS boolean LANGUAGE sql AS $$
    SELECT wallet.add_claim_identifiers(
        (SELECT c.claim_id FROM wallet.claims AS c WHERE c.transaction_id = 't1'),
        wallet.read_fact(pg_temp.fact(p_id, 'starter', p_more))
    );
$$;
SELECT ok(pg_temp.named('t1', '{"order_id": "r1", "purchase_token": "p1"}'), 'gaps are filled');
SELECT results_eq(
    $$ SELECT c.original_transaction_id, c.order_id,
       c.purchase_token FROM wallet.claims AS c WHERE c.transaction_id = 't1' $$,
    $$ VALUES ('t1', 'r1', 'p1') $$, 'original id, order id and purchase token'
);
SELECT ok(
    pg_temp.named('t2', '{"order_id": "r1", "original_transaction_id": "o2", "purchase_token": "p2"}'), 'surplus'
);
SELECT results_eq(
    $$ SELECT c.transaction_id, c.original_transaction_id, c.order_id, c.purchase_token, d.transaction_id, c.granted_at
       FROM wallet.claims AS c INNER JOIN wallet.claims AS d ON c.duplicate_of = d.claim_id $$,
    $$ VALUES ('t2', 'o2', NULL::text, 'p2', 't1', NULL::timestamptz) $$,
    'the surplus identifier is stored on a duplicate without a grant'
);
SELECT ok(pg_temp.named('t2', '{"order_id": "r1", "original_transaction_id": "o2"}'), 'known ids');
SELECT is((SELECT count(*)::integer FROM wallet.claims), 2, 'make no further row');
SELECT pg_temp.buy('bob', 'u0', 'starter', '{"original_transaction_id": "uo"}'), pg_temp.wait('1 second');
SELECT pg_temp.buy('cid', 'u1', 'starter', '{"original_transaction_id": null, "purchased_at": "2030-01-01T12:00:00Z"}');
SELECT is(
    (SELECT array_agg(c.transaction_id ORDER BY c.claim_id)
    FROM wallet.claims AS c
    INNER JOIN unnest(wallet.claims_of_purchase(
        wallet.read_fact(pg_temp.fact('u1', 'starter', '{"original_transaction_id": "uo"}'))
    )) AS f (claim_id) ON c.claim_id = f.claim_id), '{u0,u1}', 'a fact may make it another''s duplicate'
);
SELECT is(
    pg_temp.says(pg_temp.buy(NULL, 'u1', 'starter', '{"original_transaction_id": "uo"}')),
    'granted 25 credit duplicate', 'both become one purchase'
);
SELECT is(pg_temp.funds('cid'), '0 0 0 0', 'the later grant is taken back');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
