-- What one account or one page asks is found by keys, however many accounts, bookings and classes there are.
BEGIN;
\ir support/books.sql
SELECT * FROM no_plan();
-- Tables are as good as empty here: a planner that may not scan them does so only where no index serves.
SET LOCAL enable_seqscan = off;
SET LOCAL plan_cache_mode = force_generic_plan;

CREATE FUNCTION pg_temp.plan(p_query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_line text;
    v_plan text := '';
BEGIN
    FOR v_line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || p_query LOOP
        v_plan := v_plan || v_line || E'\n';
    END LOOP;
    RETURN v_plan;
END;
$$;
SELECT unalike(
    pg_temp.plan(format(
        'SELECT v FROM wallet.%I AS v WHERE v.account_id = 7 AND v.environment = %L', v.name, 'production'
    )),
    '%Seq Scan on ' || t.name || ' %', v.name || ' does not scan all ' || t.name
)
FROM unnest(ARRAY[
    'balances', 'booking_details', 'credit_movements', 'ledger', 'lifetimes', 'pack_purchases', 'passes', 'purchases',
    'waitlist_places'
]) AS v (name)
CROSS JOIN unnest(ARRAY[
    'wallets', 'lots', 'entries', 'entry_texts', 'bookings', 'claims', 'pass_uses', 'waitlist', 'classes'
]) AS t (name);

-- A list of classes that is evaluated as a whole, before its page is cut out of it, counts everybody who waits.
SELECT unalike(pg_temp.plan(l.query), '%Subquery Scan on %', l.description) FROM (VALUES
    ($$ SELECT * FROM wallet.class_list AS c WHERE c.environment = 'production' AND c.is_ahead
        ORDER BY c.starts_at, c.class_id LIMIT 50 $$, 'classes are counted page by page'),
    ($$ SELECT c.* FROM wallet.bookings AS b
        INNER JOIN wallet.class_list AS c ON b.class_id = c.class_id AND b.environment = c.environment
        WHERE b.account_id = 7 $$, 'and of an account''s bookings only their own')
) AS l (query, description);

CREATE FUNCTION pg_temp.scans(p_table text) RETURNS bigint LANGUAGE sql AS $$
    SELECT s.seq_scan FROM pg_catalog.pg_stat_xact_user_tables AS s WHERE s.relid = p_table::regclass;
$$;
SELECT pg_temp.buy('ann', 'p1', 'threeVisit'), set_config('t.lots', pg_temp.scans('wallet.lots')::text, TRUE),
    set_config('t.wallets', pg_temp.scans('wallet.wallets')::text, TRUE);
SELECT (wallet.operator_adjust('ann', 'production', 'credit', 5, 'r', 'why', 'promo', NULL, 'op', 'k')).credits;
SELECT (wallet.consume_pass(wallet.account_for('ann'), 'production', 'p1', 'door')).remaining;
SELECT (wallet.forecast(wallet.account_for('ann'), 'production', wallet.now() + INTERVAL '90 days')).visits;
SELECT is(
    pg_temp.scans('wallet.' || t.name), current_setting('t.' || t.name)::bigint,
    'an adjustment, a used pass and a forecast do not scan all ' || t.name
) FROM unnest(ARRAY['lots', 'wallets']) AS t (name);
SELECT * FROM finish();
ROLLBACK;
