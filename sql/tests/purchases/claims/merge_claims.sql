-- wallet.merge_claims: which claim remains, and the data that it takes over (record_claim.sql tests the amounts).
BEGIN;
\ir ../../support/books.sql
SELECT * FROM no_plan();
SELECT pg_temp.buy('ann', 't1', 'starter', '{"purchased_at": "2019-01-01T00:00:00Z"}');
SELECT pg_temp.buy(NULL, 't0', 'starter', '{"refunded_millionths": 250000, "quantity": 4, "upgraded": true}');
SELECT pg_temp.buy('bob', 't2', 'starter'), pg_temp.wait('1 second'), pg_temp.buy('cid', 't3', 'starter');
CREATE FUNCTION pg_temp.merged(VARIADIC p_ids text[]) RETURNS text LANGUAGE sql AS $$
    SELECT (SELECT c.transaction_id FROM wallet.claims AS c WHERE c.claim_id = m.id)
    FROM (
        SELECT wallet.merge_claims(o.ids) AS id, wallet.revoke_duplicates(o.ids) FROM (
            SELECT array_agg(c.claim_id) AS ids FROM wallet.claims AS c WHERE c.transaction_id = ANY(p_ids)
        ) AS o
        OFFSET 0
    ) AS m;
$$;
SELECT is(pg_temp.merged('t0', 't1'), 't1', 'an owned claim comes before a claim without an owner');
SELECT results_eq(
    $$ SELECT c.quantity::integer, c.refunded_millionths::integer, c.upgraded FROM wallet.claims AS c
       WHERE c.transaction_id = 't1' $$,
    $$ VALUES (4, 250000, TRUE) $$, 'the remaining claim takes over quantity, refund and upgrade'
);
SELECT is(pg_temp.merged('t1', 't3'), 't3', 'a granted claim comes before one without a grant');
SELECT is(pg_temp.merged('t2', 't3'), 't2', 'the first grant comes before a later one');
SELECT is(
    (SELECT array_agg(DISTINCT d.transaction_id) FROM wallet.claims AS c
    INNER JOIN wallet.claims AS d ON c.duplicate_of = d.claim_id), '{t2}',
    'duplicates of duplicates lead straight to it'
);
SELECT is(pg_temp.funds('cid'), '0 0 0 0', 'the later grant is taken back');
SELECT is(
    (SELECT count(*)::integer FROM wallet.claims AS c WHERE c.verdict = 'duplicate'), 3, 'three are duplicates'
);
SELECT results_eq(
    $$ SELECT c.transaction_id, c.refunded_millionths::integer, wallet.claim_refunded(c) = wallet.claim_worth(c)
       FROM wallet.claims AS c WHERE c.duplicate_of IS NOT NULL AND c.granted_at IS NOT NULL ORDER BY c.claim_id $$,
    $$ VALUES ('t3', 0, TRUE) $$, 'a duplicate is worth nothing, but the store did not refund it'
);

-- One part's report of a period before anything was granted
SELECT wallet.enable_store('play_store', '2020-01-01T00:00Z');
CREATE FUNCTION pg_temp.part(p_more jsonb) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.says(pg_temp.buy('zoe', NULL, 'plan.enthusiast',
        '{"store": "play_store", "original_transaction_id": "O", "period_type": null, "ownership": null}' || p_more));
$$;
SELECT pg_temp.part('{"order_id": "O", "pending": true, "period_type": "normal"}');
SELECT pg_temp.part('{"transaction_id": "T", "pending": true, "period_type": "trial"}');
SELECT is(pg_temp.part('{"order_id": "O", "transaction_id": "T"}'), 'granted 0', 'a trial stays one');
SELECT pg_temp.part('{"order_id": "P", "original_transaction_id": "P", "pending": true}');
SELECT pg_temp.part('{"transaction_id": "U", "original_transaction_id": "P", "ownership": "family_shared"}');
SELECT is(
    pg_temp.part('{"order_id": "P", "original_transaction_id": "P", "transaction_id": "U"}'), 'skipped family-shared',
    'a family share grants nothing to another user'
);
SELECT * FROM finish();
ROLLBACK;
