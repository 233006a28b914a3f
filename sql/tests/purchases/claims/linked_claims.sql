-- wallet.linked_claims, wallet.claims_lots and wallet.released_claims: claims and lots that belong together.
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.linked(VARIADIC p_ids text[]) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(c.transaction_id, ' ' ORDER BY c.transaction_id) FROM wallet.claims AS c
    WHERE c.claim_id = ANY(wallet.linked_claims(wallet.account_for('ann'), ARRAY(
        SELECT o.claim_id FROM wallet.claims AS o WHERE o.transaction_id = ANY(p_ids)
    )));
$$;
CREATE FUNCTION pg_temp.claim(p_id text) RETURNS bigint[] LANGUAGE sql AS $$
    SELECT array_agg(c.claim_id) FROM wallet.claims AS c WHERE c.transaction_id = p_id;
$$;
SELECT pg_temp.lesson('a', 20), pg_temp.lesson('b', 20);
SELECT pg_temp.buy('ann', 'p1', 'starter'), pg_temp.book('ann', 'k', 'a');
SELECT pg_temp.buy('ann', 'p1', 'starter', '{"refunded_millionths": 1000000}');
SELECT pg_temp.buy('ann', 'p2', 'starter'), pg_temp.buy('ann', 'p3', 'starter');
SELECT pg_temp.buy('ann', 's1', 'plan.explorer', '{"original_transaction_id": "s"}'), pg_temp.wait('1 day');
SELECT pg_temp.buy('ann', 's2', 'plan.explorer', '{"original_transaction_id": "s"}');
SELECT is(pg_temp.linked('p3'), 'p3', 'a pack is linked to no other purchase');
SELECT is(pg_temp.linked('p1'), 'p1', 'a refunded one without what repaid it');
SELECT is(pg_temp.linked('p2'), 'p2', 'the link works in both directions');
SELECT is(pg_temp.linked('s1'), 's1 s2', 'a period with the others of its subscription');
SELECT is(pg_temp.linked('p2', 's2', 'p3'), 'p2 p3 s1 s2', 'several purchases with all linked ones');
SELECT is(pg_temp.linked('none'), NULL, 'an unknown claim has no links');
SELECT is(
    wallet.linked_claims(wallet.account_for('bob'), pg_temp.claim('p1')), '{}'::bigint[],
    'only claims of the account count'
);

-- A rollover lot moves with its period
SELECT pg_temp.gift('ann', 2, 'visit', '60 days');
UPDATE wallet.lots SET source = 'plan', rolled_from = (pg_temp.claim('s1'))[1]
WHERE account_id = wallet.account_for('ann') AND unit = 'visit' AND source = 'adjustment';
SELECT is(
    cardinality(wallet.claims_lots(wallet.account_for('ann'), pg_temp.claim('s1'))), 2,
    'a period''s lots include its rollover'
);
SELECT is(wallet.released_claims(pg_temp.claim('s1')), '{}'::bigint[], 'no claim is released yet');
SELECT wallet.delete_account('ann');
SELECT is(
    (SELECT count(*)::integer FROM unnest(wallet.released_claims(pg_temp.claim('s1')))), 2,
    'a released subscription with all its periods'
);
SELECT count(*) FROM wallet.restore_claims(wallet.account_for('bob'), pg_temp.claim('s2'), NULL);
SELECT is(pg_temp.funds('bob'), '0 10 0 0', 'restoring one period moves the others and the rollover');
SELECT is(
    (SELECT l.account_id FROM wallet.lots AS l WHERE l.rolled_from IS NOT NULL), wallet.account_for('bob'),
    'the rollover lot still refers to its period'
);
SELECT pg_temp.sound('lot_terms', 'postings', 'facts');
SELECT * FROM finish();
ROLLBACK;
