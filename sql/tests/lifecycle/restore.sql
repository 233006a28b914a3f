-- wallet.restore: the result for each proven purchase (rule 33).
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
CREATE FUNCTION pg_temp.restored(p_user text, VARIADIC p_facts jsonb[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(concat_ws(' ', r.transaction_id, r.result, r.amount, r.remaining), ', ')
    FROM wallet.restore(wallet.account_for(p_user), to_jsonb(p_facts), NULL) AS r;
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.buy('ann', 't1', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT is(
    pg_temp.restored('ann', pg_temp.fact('t1', 'starter'), pg_temp.fact('t2', 'starter')),
    't1 held 25 5, t2 granted 25 25', 'one purchase of the caller, and one without an owner'
);
SELECT is(pg_temp.funds('ann'), '30 0 0 0', 'nothing is granted again');
SELECT is(
    pg_temp.restored('bob', pg_temp.fact('t1', 'starter')), 't1 transaction-already-claimed 0 0',
    'a living owner''s purchase stays theirs'
);
SELECT is(pg_temp.funds('bob'), NULL, 'no balance moves');
SELECT is(
    pg_temp.restored('bob', pg_temp.fact('t3', 'starter', '{"ownership": "family_shared"}'),
        pg_temp.fact('t4', 'starter', '{"refunded_millionths": 1000000}')),
    't3 family-shared 0 0, t4 refunded 0 0', 'else the reason why not'
);
SELECT is(pg_temp.restored('bob', VARIADIC '{}'), NULL, 'an empty list restores nothing');

-- A released purchase is never granted again, however often it is restored
UPDATE wallet.accounts SET deleted_at = wallet.now() WHERE account_id = wallet.account_for('ann');
SELECT pg_temp.restored('cid', pg_temp.fact('t2', 'starter')) FROM generate_series(1, 10);
SELECT is(
    (SELECT sum(e.amount)::bigint FROM wallet.entries AS e WHERE e.kind IN ('grant', 'rollover')), 75::bigint,
    'ten restores create no credits'
);
SELECT is(pg_temp.funds('cid'), '25 0 0 0', 'the user who proves the purchase has it');

-- Claims that are linked to a proven claim move along
SELECT set_config('t.s1', pg_temp.fact('s1', 'plan.enthusiast')::text, TRUE);
SELECT wallet.apply_fact(wallet.account_for('eli'), current_setting('t.s1')::jsonb), pg_temp.wait('30 days');
SELECT pg_temp.buy('eli', 's2', 'plan.enthusiast', '{"original_transaction_id": "s1"}'), wallet.sweep(10);
SELECT pg_temp.buy('eli', 'e3', 'starter'), wallet.delete_account('eli');
SELECT results_eq(
    $$ SELECT r.transaction_id, r.unproven FROM wallet.restore(
        wallet.account_for('fay'), jsonb_build_array(current_setting('t.s1')::jsonb), NULL
    ) AS r ORDER BY 1 $$, $$ VALUES ('s1', 1::bigint), ('s2', 1) $$, 'only the pack stays unproven'
);
SELECT is(pg_temp.funds('fay'), '0 15 0 0', 'the next period and the rollover came along');
SELECT pg_temp.sound('accounts');
SELECT * FROM finish();
ROLLBACK;
