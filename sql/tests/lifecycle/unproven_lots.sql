-- wallet.unproven_lots: the lots that stay behind when a user restores purchases (rule 33).
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.left_behind(p_user text, VARIADIC p_ids text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_claim_ids CONSTANT bigint[] := ARRAY(
        SELECT c.claim_id FROM wallet.claims AS c WHERE c.transaction_id = ANY(p_ids)
    );
BEGIN
    PERFORM wallet.restore_claims(wallet.account_for(p_user), v_claim_ids, NULL);
    RETURN wallet.unproven_lots(v_claim_ids);
END;
$$;
SELECT pg_temp.lesson('a', 25), pg_temp.buy('ann', 'spent', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.buy('ann', 'pack', 'starter'), pg_temp.buy('ann', 'pass', 'fiveVisit');
SELECT pg_temp.buy('ann', 'plan', 'plan.explorer'), pg_temp.buy('ann', 'other', 'explorer'), pg_temp.gift('ann', 9);
SELECT is(pg_temp.left_behind('bob', 'plan'), 0::bigint, 'a living owner leaves nothing behind');
SELECT pg_temp.wait('3 days'), wallet.delete_account('ann');
SELECT is(pg_temp.left_behind('bob', 'plan'), 3::bigint, 'the store shows no finished purchases');
SELECT is(pg_temp.left_behind('bob', 'pack', 'other'), 1::bigint, 'proven purchases do not count');
SELECT is(pg_temp.left_behind('bob', 'plan', 'pass'), 0::bigint, 'spent lots and gifts do not count');
SELECT is(wallet.unproven_lots('{}'), 0::bigint, 'without proven purchases the number is 0');
SELECT * FROM finish();
ROLLBACK;
