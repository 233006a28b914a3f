-- admin.timeline finds a user's facts by keys, and so does wallet.operator_search with its matches: with 10,000 entries
-- and the planner's own choice, they scan no table that grows.
BEGIN;
\ir ../support/books.sql
\ir ../support/plans.sql
SELECT * FROM no_plan();
\o /dev/null
INSERT INTO wallet.accounts (created_at) SELECT wallet.now() FROM generate_series(1, 5000);
INSERT INTO wallet.identities (user_id, account_id, app_account_token, created_at)
SELECT
    'user' || row_number() OVER (ORDER BY a.account_id), a.account_id, gen_random_uuid(), wallet.now()
FROM wallet.accounts AS a;
INSERT INTO wallet.wallets (account_id, environment) SELECT a.account_id, 'production' FROM wallet.accounts AS a;
INSERT INTO wallet.claims (
    store, environment, account_id, transaction_id, kind, store_product_id, purchased_at, source, source_at, created_at
)
SELECT
    'app_store', 'production', a.account_id, 't' || row_number() OVER (ORDER BY a.account_id), 'one_time', 'x',
    wallet.now(), 'receipt', wallet.now(), wallet.now()
FROM wallet.accounts AS a;
INSERT INTO wallet.lots (account_id, lot_id, environment, unit, source, granted, claim_id, created_at)
SELECT a.account_id, gen_random_uuid(), 'production', 'credit', 'pack', 100, c.claim_id, wallet.now()
FROM wallet.accounts AS a INNER JOIN wallet.claims AS c ON a.account_id = c.account_id;
INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
SELECT 'c' || i, 'Class', wallet.now(), wallet.now() + interval '1 hour', 1, wallet.now()
FROM generate_series(1, 1000) AS i;
INSERT INTO wallet.entries (
    account_id, environment, version, kind, unit, amount, balance_after, lot_id, claim_id, at, prev_hash, hash
)
SELECT l.account_id, 'production', g.v, 'adjust', 'credit', 1, 1, l.lot_id, l.claim_id, wallet.now(), '', ''
FROM wallet.lots AS l CROSS JOIN generate_series(1, 2) AS g (v);
INSERT INTO wallet.entry_texts (account_id, environment, version, salt, actor, reason)
SELECT e.account_id, e.environment, e.version, '', 'dana', 'because' FROM wallet.entries AS e;
INSERT INTO wallet.bookings (
    account_id, booking_id, environment, class_id, seats, amount, first_version, entry_count,
    free_minutes_before, free_until, created_at, cancelled_at, cancelled_by, returned
)
SELECT a.account_id, gen_random_uuid(), 'production', 'c' || i, 1, 0, 1, 1, 0, wallet.now(), wallet.now(),
    wallet.now(), 'user', 0
FROM wallet.accounts AS a CROSS JOIN generate_series(1, 2) AS i;
INSERT INTO wallet.audit (
    at, role, action, kind, object_id, account_id, before, after, reference_digest, request_digest
)
SELECT
    wallet.now(), 'dana', 'cancel-booking', 'booking', b.booking_id::text, b.account_id, '{}', '{}',
    wallet.reference_digest('cancel-booking', 'r' || row_number() OVER (), '{}'), ''
FROM wallet.bookings AS b;
INSERT INTO wallet.audit_texts (audit_id, actor, reason) SELECT r.audit_id, 'dana', 'x' FROM wallet.audit AS r;
INSERT INTO wallet.inbox (source, source_event_id, type, payload, received_at)
SELECT 'revenuecat', i.user_id, 'TEST', jsonb_build_object('transfer', jsonb_build_object('from', ARRAY[i.user_id])),
    wallet.now()
FROM wallet.identities AS i;
INSERT INTO wallet.review_flags (account_id, environment, refunds, raised_at)
SELECT a.account_id, 'production', 3, wallet.now() FROM wallet.accounts AS a;
ANALYZE;
\o
SELECT is(
    (SELECT count(*)::integer FROM admin.timeline AS t WHERE t.user_id = 'user77'), 2 + 2 * 2 + 1 + 1,
    'a user''s facts are there'
);
SELECT is(
    (SELECT coalesce(array_agg(s.line), '{}') FROM regexp_split_to_table(pg_temp.plan(l.query), E'\n') AS s (line)
    WHERE s.line ~ 'Seq Scan on (accounts|identities|claims|lots|entries|entry_texts|bookings|classes|audit|audit_texts'
        '|inbox|review_flags|wallets)\M'), '{}', l.query
) FROM (VALUES
    ('SELECT * FROM admin.timeline AS t WHERE t.user_id = ''user77'''),
    ('SELECT * FROM admin.timeline AS t WHERE t.account_id =
        (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = ''user77'')'),
    ('SELECT * FROM admin.timeline AS t WHERE t.user_id = ''user77'' AND t.environment = ''production'' LIMIT 20'),
    ('SELECT * FROM admin.audit AS a WHERE a.account_id = (SELECT u.account_id FROM wallet.users AS u
        WHERE u.user_id = ''user77'') ORDER BY a.at DESC LIMIT 20'),
    ('SELECT * FROM admin.audit AS a ORDER BY a.audit_id DESC LIMIT 20')
) AS l (query);
CREATE FUNCTION pg_temp.scanned() RETURNS jsonb LANGUAGE sql AS $$
    SELECT jsonb_object_agg(t.relname, t.seq_scan) FROM pg_stat_xact_user_tables AS t
    WHERE t.relname IN ('accounts', 'identities', 'claims', 'bookings', 'classes', 'adjustments', 'audit', 'audit_texts');
$$;
SET LOCAL plan_cache_mode = force_generic_plan;
CREATE TEMP TABLE before AS SELECT pg_temp.scanned() AS scanned;
SELECT is(
    (SELECT array_agg(h.kind ORDER BY h.kind)
    FROM unnest(ARRAY['user77', 't77', 'c77', 'r77', gen_random_uuid()::text]) AS t (text)
    CROSS JOIN LATERAL wallet.operator_search(t.text) AS h WHERE h.id = t.text),
    '{action,class,purchase,user}', 'the operators'' search finds existing objects'
);
SELECT is(pg_temp.scanned(), b.scanned, 'the search scans no table') FROM pg_temp.before AS b;
SELECT * FROM finish();
ROLLBACK;
