-- No operation reads a large table from its beginning to its end: in a database with 5,000 members, none reads more
-- than 1,000 rows of a table without an index.
BEGIN;
\ir ../support/books.sql
\ir ../support/periods.sql
SELECT * FROM no_plan();
SET LOCAL session_replication_role = replica;
INSERT INTO wallet.accounts (account_id, created_at) OVERRIDING SYSTEM VALUE
SELECT 100000 + n, wallet.now() FROM generate_series(1, 5000) AS n;
INSERT INTO wallet.identities (user_id, account_id, app_account_token, created_at)
SELECT 'member-' || n, 100000 + n, md5('member-' || n)::uuid, wallet.now() FROM generate_series(1, 5000) AS n;
INSERT INTO wallet.wallets (account_id, environment)
SELECT 100000 + n, 'production' FROM generate_series(1, 5000) AS n;
INSERT INTO wallet.claims (
    store, environment, account_id, transaction_id, original_transaction_id, purchase_token, kind, store_product_id,
    product_id, purchased_at, expires_at, period_type, source, source_at, grant_amount, granted_at, verdict, created_at,
    grace_days, tier, entitlements, unlimited, days_ahead, price_minor, currency, subscription_group
)
SELECT
    'app_store', 'production', 100000 + n, 'period-' || n, 'period-' || n, 'token-' || n, 'subscription',
    p.app_store_id, p.product_id, wallet.now(), wallet.now() + interval '30 days', 'normal', 'receipt', wallet.now(),
    p.amount, wallet.now(), 'granted', wallet.now(), p.grace_days, p.tier, p.entitlements, FALSE, p.days_ahead,
    p.price_minor, p.currency, p.subscription_group
FROM generate_series(1, 5000) AS n
INNER JOIN wallet.products AS p ON p.product_id LIKE '%subscription.explorer';
INSERT INTO wallet.lots (
    account_id, lot_id, environment, unit, source, product_id, claim_id, granted, spent, lapsed, refunded, repaid,
    expires_at, created_at
)
SELECT
    c.account_id, wallet.new_id(), c.environment, 'visit', 'plan', c.product_id, c.claim_id, 4, 0, 0, 0, 0,
    c.expires_at, wallet.now()
FROM wallet.claims AS c;
INSERT INTO wallet.subscriptions (
    account_id, store, environment, original_transaction_id, current_claim_id, product_id, tier, entitlements,
    unlimited, rollover_percentage, period_type, period_start, period_end, created_at, next_change_at
)
SELECT
    c.account_id, c.store, c.environment, c.chain_id, c.claim_id, c.product_id, c.tier, c.entitlements, c.unlimited, 0,
    'normal', c.purchased_at, c.expires_at, wallet.now(), c.expires_at AS next_change_at
FROM wallet.claims AS c;
INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_visits, updated_at, settled)
SELECT 'past-' || n, 'Past', wallet.now() - interval '2 days', wallet.now() - interval '47 hours', 1, wallet.now(), TRUE
FROM generate_series(0, 499) AS n;
INSERT INTO wallet.class_seats (class_id, environment, capacity, sold)
SELECT c.class_id, e.environment, 10, CASE e.environment WHEN 'production' THEN 10 ELSE 0 END
FROM wallet.classes AS c
CROSS JOIN unnest(enum_range(NULL::wallet.environment)) AS e (environment)
WHERE c.class_id LIKE 'past-%';
INSERT INTO wallet.bookings (
    account_id, booking_id, environment, class_id, idempotency_key, seats, unit, amount, first_version, entry_count,
    free_minutes_before, free_until, created_at
)
SELECT
    l.account_id, md5(l.account_id::text)::uuid, 'production', 'past-' || l.account_id % 500, 'key-' || l.account_id, 1,
    'visit', 1, 2, 1, 0, wallet.now(), wallet.now() - interval '3 days'
FROM wallet.lots AS l;
INSERT INTO wallet.entries (
    account_id, environment, version, kind, unit, amount, owed_change, balance_after, lot_id, booking_id, claim_id, at,
    prev_hash, hash
)
SELECT
    l.account_id, 'production', v.version, v.kind, 'visit', v.amount, 0, v.balance, l.lot_id, CASE v.version WHEN 2 THEN
        md5(l.account_id::text)::uuid END, CASE v.version WHEN 1 THEN l.claim_id END, wallet.now() - interval '4 days',
    sha256(v.kind::text::bytea), sha256(l.lot_id::text::bytea)
FROM wallet.lots AS l
CROSS JOIN (
    VALUES (1, 'grant'::wallet.entry_kind, 4, 4), (2, 'spend', -1, 3)
) AS v (version, kind, amount, balance);
INSERT INTO wallet.adjustments (
    reference, account_id, environment, unit, amount, first_version, entry_count, at
)
SELECT 'reference-' || n, 100000 + n, 'production', 'credit', 1, 1, 1, wallet.now() FROM generate_series(1, 5000) AS n;
INSERT INTO wallet.outbox (type, account_id, environment, details, at)
SELECT 'credits.granted', 100000 + n, 'production', '{}', wallet.now() FROM generate_series(1, 5000) AS n;
INSERT INTO wallet.inbox_done (
    inbox_id, source, source_event_id, type, payload, status, attempts, received_at, processed_at
)
SELECT -n, 'app_store', 'message-' || n, 'TEST', '{}', 'processed', 1, wallet.now(), wallet.now()
FROM generate_series(1, 5000) AS n;
SET LOCAL session_replication_role = origin;
ANALYZE wallet.accounts, wallet.identities, wallet.wallets, wallet.claims, wallet.lots, wallet.subscriptions,
wallet.bookings, wallet.entries, wallet.classes, wallet.class_seats, wallet.adjustments,
wallet.outbox, wallet.inbox_done;

CREATE TEMPORARY TABLE read_before (relid oid, rows bigint);
-- Fails if the statements since the last call read a large part of a table without an index.
CREATE FUNCTION pg_temp.indexed(p_what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_tables text[];
BEGIN
    v_tables := ARRAY(
        SELECT format('%s rows of %s', t.seq_tup_read - coalesce(b.rows, 0), t.relname)
        FROM pg_stat_xact_user_tables AS t
        LEFT JOIN read_before AS b ON t.relid = b.relid
        WHERE t.schemaname = 'wallet' AND t.seq_tup_read - coalesce(b.rows, 0) > 1000
        ORDER BY t.relname
    );
    DELETE FROM read_before;
    INSERT INTO read_before SELECT t.relid, t.seq_tup_read FROM pg_stat_xact_user_tables AS t;
    RETURN is(v_tables, '{}'::text[], p_what);
END;
$$;
CREATE FUNCTION pg_temp.period(p_product text, p_id text, p_more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql AS $$
    SELECT pg_temp.fact(p_id, p_product, pg_temp.days(0, 30, jsonb_build_object('original_transaction_id', p_id))
        || p_more);
$$;
CREATE FUNCTION pg_temp.restored(p_user text, p_app text, VARIADIC p_facts jsonb[]) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM wallet.restore(wallet.account_for(p_user), to_jsonb(p_facts), p_app);
$$;
SELECT wallet.admit_token('anna', wallet.now(), TRUE), wallet.enable_store('play_store', '2020-01-01');
DELETE FROM read_before;
INSERT INTO read_before SELECT t.relid, t.seq_tup_read FROM pg_stat_xact_user_tables AS t;
SELECT wallet.apply_fact(wallet.account_for('ann'), pg_temp.period('plan.enthusiast', 'a1'));
SELECT pg_temp.indexed('a subscription');
SELECT wallet.apply_fact(wallet.account_for('ann'), pg_temp.period('plan.enthusiast', 'a2', pg_temp.days(
    30, 60, '{"original_transaction_id": "a1"}'
)));
SELECT pg_temp.indexed('its renewal');
SELECT wallet.apply_fact(wallet.account_for('anna'), pg_temp.period('plan.unlimited', 'b1'));
SELECT pg_temp.indexed('an unlimited subscription');
SELECT pg_temp.buy('anna', 'pack', 'starter'), pg_temp.buy('anna', 'pass', 'threeVisit');
SELECT pg_temp.indexed('a pack and a pass');
SELECT pg_temp.buy('anna', 'play', 'starter', '{"store": "play_store", "purchase_token": "t", "transaction_id": null}');
SELECT pg_temp.indexed('a purchase at Google Play');
SELECT wallet.consume_pass(wallet.account_for('anna'), 'production', 'pass', 'door');
SELECT pg_temp.indexed('the use of a pass');
SELECT pg_temp.report(NULL, 'a2', 'plan.enthusiast', pg_temp.days(30, 60, jsonb_build_object(
    'original_transaction_id', 'a1', 'refunded_millionths', 1000000, 'refunded_at', pg_temp.noon(1),
    'source_at', pg_temp.noon(1)
)));
SELECT pg_temp.indexed('a refund');
SELECT wallet.apply_transfer(jsonb_build_object(
    'from', '["anna"]'::jsonb, 'to', '["ann"]'::jsonb, 'at', pg_temp.noon(1), 'environment', 'production'
));
SELECT pg_temp.indexed('a store''s transfer');
SELECT wallet.merge_accounts('anna', 'ann');
SELECT pg_temp.indexed('a merge');
SELECT wallet.release_claim((pg_temp.claim('b1')).claim_id);
SELECT pg_temp.indexed('a release by an administrator');
SELECT wallet.delete_account('ann');
SELECT pg_temp.indexed('a deletion');
SELECT pg_temp.restored('rob', NULL, pg_temp.period('plan.enthusiast', 'a1'), pg_temp.fact('pass', 'threeVisit'));
SELECT pg_temp.indexed('a restore');
SELECT pg_temp.restored('rob', 'copy', pg_temp.fact('pack', 'starter'));
SELECT pg_temp.indexed('a restore with the copy of the app');
SELECT wallet.receive_event('app_store', 'message', 'DID_RENEW', jsonb_build_object(
    'source', 'app_store', 'id', 'message', 'type', 'DID_RENEW', 'statements', jsonb_build_array(
        jsonb_build_object('owners', '["zoe"]'::jsonb, 'fact', pg_temp.period('plan.explorer', 'm1')),
        jsonb_build_object('owners', '["zoe"]'::jsonb, 'fact', pg_temp.fact('m2', 'starter'))
    )
));
SELECT pg_temp.indexed('a message with two purchases');
SELECT wallet.sweep(100), wallet.sweep_subscriptions(100);
SELECT pg_temp.indexed('the workers');

-- Bookings and the studio
SELECT pg_temp.gift('bob', 50), pg_temp.gift('cid', 50);
SELECT pg_temp.indexed('an adjustment');
SELECT pg_temp.lesson('y', 1, 20);
SELECT pg_temp.indexed('a class');
SELECT pg_temp.answer(pg_temp.book('bob', 'b', 'y')), pg_temp.answer(pg_temp.book('cid', 'c', 'y'));
SELECT pg_temp.indexed('bookings of its last seat');
SELECT pg_temp.answer(pg_temp.cancel('bob', 'b'));
SELECT pg_temp.indexed('a cancellation');
SELECT wallet.cancel_class('y', 'flood', 'op', NULL), wallet.settle_classes(10);
SELECT pg_temp.indexed('a cancelled class');
SELECT pg_temp.lesson('z', 1, p_ahead => '30 minutes'), pg_temp.answer(pg_temp.book('bob', 'd', 'z'));
SELECT wallet.mark_attendance('production', 'z', ARRAY[pg_temp.id_of('d')], 'attended', row('op', NULL, NULL, NULL));
SELECT pg_temp.indexed('a mark of attendance');
SELECT * FROM finish();
ROLLBACK;
