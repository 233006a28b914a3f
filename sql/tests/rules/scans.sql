-- Queries for one account or one page use keys, however many accounts, bookings and classes there are.
BEGIN;
\ir ../support/books.sql
\ir ../support/plans.sql
SELECT * FROM no_plan();
-- The tables are almost empty here: without sequential scans, the planner uses one only if no index fits.
SET LOCAL enable_seqscan = off;
SET LOCAL plan_cache_mode = force_generic_plan;

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

-- If a list of classes were computed as a whole before its page is selected, it would count all waiting users.
SELECT unalike(pg_temp.plan(l.query), '%Subquery Scan on %', l.description) FROM (VALUES
    ($$ SELECT * FROM wallet.class_list AS c
        WHERE c.environment = 'production' AND c.starts_at > (SELECT wallet.now())
        ORDER BY c.starts_at, c.class_id LIMIT 50 $$, 'classes are counted page by page'),
    ($$ SELECT c.* FROM wallet.bookings AS b
        INNER JOIN wallet.class_list AS c ON b.class_id = c.class_id AND b.environment = c.environment
        WHERE b.account_id = 7 $$, 'a join with an account''s bookings reads only their classes')
) AS l (query, description);

-- A join of a view with a user's account reads that account only: a view with a CTE, or with a clock among its columns,
-- would be computed as a whole first.
SELECT unalike(
    pg_temp.plan(format(
        'SELECT v.* FROM wallet.users AS u INNER JOIN wallet.%I AS v ON u.account_id = v.account_id'
        ' WHERE u.user_id = %L', v.name, 'ann'
    )),
    '%Subquery Scan on v%', v.name || ' is not made for everybody'
)
FROM unnest(ARRAY[
    'balances', 'booking_details', 'credit_movements', 'ledger', 'subscription_states'
]) AS v (name);

INSERT INTO wallet.classes (class_id, title, starts_at, ends_at, price_credits, updated_at)
SELECT 'scan' || i, 'Class', t.at, t.at + interval '1 hour', 1, wallet.now()
FROM generate_series(1, 3000) AS i CROSS JOIN LATERAL (SELECT wallet.now() + (i - 2900) * interval '1 hour' AS at) AS t;
INSERT INTO wallet.class_seats (class_id, environment, capacity)
SELECT c.class_id, 'production', 10 FROM wallet.classes AS c WHERE c.class_id LIKE 'scan%';
ANALYZE wallet.classes, wallet.class_seats;

-- A page is read along an index, so that PostgreSQL sorts nothing.
SET LOCAL enable_bitmapscan = off;
SELECT doesnt_match(pg_temp.plan(l.query), 'Sort\n', l.description || ' are not sorted') FROM (VALUES
    ($$ SELECT l.* FROM wallet.ledger AS l
        WHERE l.account_id = (SELECT u.account_id FROM wallet.users AS u WHERE u.user_id = 'ann')
            AND l.environment = 'production' AND l.version < 9223372036854775807
        ORDER BY l.version DESC LIMIT 51 $$, 'entries'),
    ($$ SELECT c.* FROM wallet.class_list AS c
        WHERE c.environment = 'production' AND c.status = 'scheduled' AND c.starts_at > (SELECT wallet.now())
            AND (c.starts_at, c.class_id) > (timestamptz 'epoch', '')
        ORDER BY c.starts_at, c.class_id LIMIT 51 $$, 'classes'),
    ($$ SELECT i.inbox_id FROM wallet.inbox AS i
        WHERE i.next_attempt_at <= (SELECT wallet.now())
        ORDER BY i.next_attempt_at LIMIT 100 $$, 'due messages'),
    (
        $$ SELECT i.inbox_id FROM wallet.inbox AS i
        WHERE i.names && ARRAY['ann', '149dacc5-268f-5d4e-9303-c91c2b9b44b4'] $$, 'messages of a user'
    ),
    ($$ SELECT i.* FROM wallet.inbox AS i
        WHERE i.status = 'quarantined' AND i.received_at < (SELECT wallet.now()) - INTERVAL '90 days'
        ORDER BY i.received_at LIMIT 100 $$, 'quarantined messages'),
    ($$ SELECT i.inbox_id, i.type FROM admin.webhook_inbox AS i ORDER BY i.inbox_id DESC LIMIT 50 $$, 'messages'),
    ($$ SELECT o.xid, o.event_id FROM wallet.outbox AS o WHERE (o.xid, o.event_id) > ('5', 7)
        ORDER BY o.xid, o.event_id LIMIT 100 $$, 'events behind a cursor')
) AS l (query, description);
SELECT matches(
    pg_temp.plan($$ SELECT c.* FROM wallet.class_list AS c
        WHERE c.environment = 'production' AND c.starts_at > (SELECT wallet.now())
        ORDER BY c.starts_at, c.class_id LIMIT 51 $$),
    -- PostgreSQL 17 names the subquery; older versions number its result.
    'Index Cond: \(\(?starts_at > ' || CASE
        WHEN current_setting('server_version_num')::integer >= 170000 THEN '\(InitPlan \d\)\.col1' ELSE '\$\d'
    END || '\)',
    'the classes ahead are found without reading those that are over'
);

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

-- Work for one wallet reads the same number of rows, however many other wallets there are.
CREATE FUNCTION pg_temp.read(p_table text) RETURNS bigint LANGUAGE sql AS $$
    SELECT s.seq_tup_read + coalesce(s.idx_tup_fetch, 0) FROM pg_catalog.pg_stat_xact_user_tables AS s
    WHERE s.relid = p_table::regclass;
$$;
CREATE FUNCTION pg_temp.reads(p_table text, p_statement text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_before CONSTANT bigint := pg_temp.read(p_table);
BEGIN
    EXECUTE p_statement;
    RETURN pg_temp.read(p_table) - v_before;
END;
$$;
INSERT INTO wallet.imports (
    source, user_digest, environment, content_digest, account_id, first_version, entry_count, at
) SELECT 'old', decode(md5(i::text), 'hex'), 'production', '', wallet.account_for('import'), i, 1, wallet.now()
FROM generate_series(1, 3000) AS i;
SELECT wallet.import_wallet('here', 'ivy', 'production', NULL, 5, 0, NULL, FALSE);
ANALYZE wallet.imports;
SELECT cmp_ok(
    pg_temp.reads('wallet.imports', $$ SELECT wallet.event_body(o) FROM wallet.outbox AS o
        WHERE o.type = 'credits.granted' ORDER BY o.event_id DESC LIMIT 1 $$),
    '<', 10::bigint, 'an event does not read all imports'
);
INSERT INTO wallet.accounts (created_at) SELECT wallet.now() FROM generate_series(1, 3000);
INSERT INTO wallet.wallets (account_id, environment, next_expiry)
SELECT a.account_id, 'production', wallet.now() + INTERVAL '1 year' FROM wallet.accounts AS a
ON CONFLICT (account_id, environment) DO NOTHING;
SELECT pg_temp.gift('due', 5, 'credit', INTERVAL '1 day'), pg_temp.wait('2 days');
ANALYZE wallet.wallets;
SELECT cmp_ok(
    pg_temp.reads('wallet.wallets', 'SELECT wallet.sweep(100)'), '<', 100::bigint,
    'a sweep does not read wallets in which nothing is due'
);
INSERT INTO wallet.bookings (
    account_id, booking_id, environment, class_id, idempotency_key, seats, unit, amount, first_version, entry_count,
    free_minutes_before, free_until, created_at
) SELECT
    wallet.account_for('ann'), gen_random_uuid(), 'production', 'scan' || i, 'past ' || i, 1, 'credit', 1, 1, 1, 0,
    wallet.now(), wallet.now()
FROM generate_series(1, 2800) AS i;
ANALYZE wallet.bookings;
SELECT pg_temp.lesson('limited', 1);
UPDATE wallet.classes SET max_overlaps = 0 WHERE class_id = 'limited';
SELECT cmp_ok(
    pg_temp.reads(
        'wallet.bookings',
        $$ SELECT set_config('t.answer', pg_temp.answer(pg_temp.book('ann', 'limited', 'limited')), TRUE) $$
    ), '<', 10::bigint, 'a limit of overlaps does not read a member''s past bookings'
);
SELECT matches(current_setting('t.answer'), '^(201|402) ', 'the booking reached the limit, and kept it');

-- A page of an operators' list is found by a key: nothing is scanned, and nothing is sorted except the few rows of one
-- class or user and the undelivered events.
SELECT doesnt_match(pg_temp.plan(l.query), n.node, l.query)
FROM (VALUES
    ('SELECT * FROM admin.audit AS v ORDER BY v.audit_id DESC LIMIT 21', TRUE),
    ('SELECT * FROM admin.audit AS v WHERE v.account_id = ANY(ARRAY(SELECT u.account_id FROM wallet.user_accounts AS u
        WHERE u.user_id = ''ann'')) ORDER BY v.audit_id DESC LIMIT 21', FALSE),
    ('SELECT * FROM admin.webhook_inbox AS v ORDER BY v.inbox_id DESC LIMIT 21', TRUE),
    ('SELECT * FROM admin.outbox AS v ORDER BY v.at DESC, v.event_id DESC LIMIT 21', TRUE),
    ('SELECT * FROM admin.undelivered AS v WHERE v.status = ''dead''
        ORDER BY v.event_at DESC, v.event_id DESC LIMIT 21', FALSE),
    ('SELECT * FROM admin.refunds AS v ORDER BY coalesce(v.refunded_at, ''-infinity'') DESC, v.claim_id DESC
        LIMIT 21', FALSE),
    ('SELECT v.booking_id, v.user_id, v.class_title, v.status, v.amount FROM admin.bookings AS v
        ORDER BY v.booking_id DESC LIMIT 21', TRUE),
    ('SELECT v.booking_id FROM admin.bookings AS v WHERE v.account_id = ANY(ARRAY(SELECT u.account_id
        FROM wallet.user_accounts AS u WHERE u.user_id = ''ann'')) ORDER BY v.booking_id DESC LIMIT 21', FALSE),
    ('SELECT v.claim_id, v.user_id, v.status FROM admin.purchases AS v ORDER BY v.claim_id DESC LIMIT 21', FALSE),
    ('SELECT v.subscription_id, v.user_id, v.status FROM admin.subscriptions AS v
        ORDER BY v.subscription_id DESC LIMIT 21', FALSE),
    ('SELECT * FROM admin.classes AS v WHERE v.starts_at >= now() ORDER BY v.starts_at, v.class_id LIMIT 21', TRUE),
    ('SELECT * FROM admin.roster AS v WHERE v.class_id::text = ''c'' ORDER BY v.booking_id LIMIT 21', FALSE),
    ('SELECT * FROM admin.waitlist AS v WHERE v.class_id::text = ''c'' ORDER BY v.environment, v.place LIMIT 21',
        FALSE),
    ('SELECT * FROM admin.lots AS v WHERE v.account_id = ANY(ARRAY(SELECT u.account_id FROM wallet.user_accounts AS u
        WHERE u.user_id = ''ann'')) ORDER BY v.created_at DESC, v.lot_id DESC LIMIT 21', FALSE),
    ('SELECT * FROM admin.purchases AS v WHERE v.account_id = ANY(ARRAY(SELECT u.account_id
        FROM wallet.user_accounts AS u WHERE u.user_id = ''ann'')) ORDER BY v.claim_id DESC LIMIT 21', FALSE)
) AS l (query, is_ordered)
CROSS JOIN (VALUES
    ('Seq Scan on (?!outbox_cursor)', FALSE), ('(->  |^)(Incremental )?Sort', TRUE)
) AS n (node, only_ordered)
WHERE l.is_ordered OR NOT n.only_ordered;
SELECT alike(
    pg_temp.plan('SELECT * FROM admin.refunds AS v
        ORDER BY coalesce(v.refunded_at, ''-infinity'') DESC, v.claim_id DESC LIMIT 21'),
    '%Index Scan Backward using claims_refunded on claims c%', 'refunds are read in their order'
);
SELECT * FROM finish();
ROLLBACK;
