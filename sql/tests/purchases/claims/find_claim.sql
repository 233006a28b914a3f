-- wallet.claims_of_purchase, wallet.identify_claim: the claim with any of a fact's identifiers; several claims are
-- merged (rule 12).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.found(p_id text, p_more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(coalesce(c.transaction_id, c.order_id), ' ' ORDER BY c.claim_id) FROM wallet.claims AS c
    WHERE c.claim_id = ANY(wallet.claims_of_purchase(wallet.read_fact(pg_temp.fact(p_id, 'starter', p_more))));
$$;
SELECT pg_temp.buy('ann', 't1', 'starter', '{"original_transaction_id": "o1", "order_id": "r1"}');
SELECT is(pg_temp.found('t1'), 't1', 'found by its transaction id');
SELECT is(pg_temp.found('t2', '{"original_transaction_id": "o1"}'), 't1', 'found by its original id and second');
SELECT is(pg_temp.found('t2', '{"order_id": "r1"}'), 't1', 'found by its order id');
SELECT is(pg_temp.found('t2'), NULL, 'not found by another transaction id');
SELECT is(pg_temp.found('t1', '{"environment": "sandbox"}'), NULL, 'not found in the other environment');
SELECT is(pg_temp.found('t1', '{"store": "play_store"}'), NULL, 'not found at another store');
SELECT pg_temp.buy('bob', 't9', 'starter');
SELECT is(pg_temp.found('t9', '{"order_id": "r1"}'), 't1 t9', 'several are found');
SELECT is(
    (SELECT c.transaction_id FROM wallet.claims AS c
    WHERE c.claim_id = (pg_temp.buy(NULL, 't9', 'starter', '{"order_id": "r1"}')).claim_id), 't1',
    'several become the one that granted first'
);
SELECT is(pg_temp.found('t9'), 't1', 'the claims stay merged');
SELECT pg_temp.sound();
SELECT * FROM finish();
ROLLBACK;
