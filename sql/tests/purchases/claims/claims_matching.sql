-- wallet.claims_matching: returns the original claim of a duplicate (record_claim.sql tests each identifier).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 't1', 'starter', '{"original_transaction_id": "o1"}');
SELECT pg_temp.buy('ann', 't2', 'starter', '{"original_transaction_id": "o1"}');
SELECT pg_temp.buy('ann', 't3', 'starter');
CREATE FUNCTION pg_temp.matching(p_id text, p_more jsonb DEFAULT '{}') RETURNS text[] LANGUAGE sql AS $$
    SELECT ARRAY(
        SELECT c.transaction_id FROM wallet.claims AS c
        WHERE c.claim_id = ANY(wallet.claims_matching(wallet.read_fact(pg_temp.fact(p_id, 'starter', p_more))))
        ORDER BY c.claim_id
    );
$$;
SELECT is(pg_temp.matching('t2'), '{t1}', 'the id kept on a duplicate leads to the claim');
SELECT is(pg_temp.matching('t3', '{"original_transaction_id": "o1"}'), '{t1,t3}', 'two claims match one fact');
SELECT is(pg_temp.matching('t4'), '{}', 'no claim matches');
SELECT * FROM finish();
ROLLBACK;
